// Sending a receiver again all that it missed since a day.

import { post } from '../lib/api.js';
import { Dialog } from '../lib/dialog.js';
import { Field, FormFailure, SaveBar, useForm } from '../lib/form.js';
import { localDay, plural } from '../lib/format.js';
import { html } from '../lib/html.js';
import { toast } from '../lib/toast.js';

/** @param {{ path: string, since: string | null | undefined, onClose: () => void }} props */
export function Recover({ path, since, onClose }) {
  const first = localDay(since ? new Date(since) : undefined);
  const form = useForm({ since: first }, async ({ since: day }) => {
    const { data } = await post(`${path}/recover`, { since: `${day}T00:00:00-03:00` });
    toast(
      data.queued ? `${plural(data.queued, 'evento', 'eventos')} na fila.` : 'Nada ficou sem entrega desde esse dia.',
    );
    form.rebase(form.values);
    onClose();
  });
  return html`<${Dialog} title="Recuperar entregas" onClose=${onClose}>
    <form class="grid one" noValidate onSubmit=${form.submit}>
      <${FormFailure} form=${form} />
      <p class="muted">Envia de novo cada evento que este destino deveria ter recebido e não recebeu.</p>
      <${Field} form=${form} name="since" label="Desde o dia" type="date" />
      <${SaveBar} form=${form} always label="Enviar de novo" />
    </form>
  <//>`;
}
