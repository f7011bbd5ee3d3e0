// Sending a receiver again all that it missed since a day.

import { post } from '../lib/api.js';
import { askFor } from '../lib/ask-for.js';
import { localDay, plural } from '../lib/format.js';
import { html } from '../lib/html.js';
import { toast } from '../lib/toast.js';

/** @param {string} path @param {string | null | undefined} since */
export const recover = (path, since) =>
  askFor({
    title: 'Recuperar entregas',
    children: html`<p class="muted">Envia de novo cada evento que este destino deveria ter recebido e não recebeu.</p>`,
    fields: [{ name: 'since', label: 'Desde o dia', type: 'date' }],
    initial: { since: localDay(since ? new Date(since) : undefined) },
    action: 'Enviar de novo',
    save: async ({ since: day }) => {
      const { data } = await post(`${path}/recover`, { since: `${day}T00:00:00-03:00` });
      const queued = data.queued && `${plural(data.queued, 'evento', 'eventos')} na fila.`;
      toast(queued || 'Nada ficou sem entrega desde esse dia.');
    },
  });
