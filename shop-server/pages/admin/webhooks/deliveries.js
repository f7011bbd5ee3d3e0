// What was sent to one receiver, and what it answered; sent again with a click.

import { post } from '../lib/api.js';
import { useList } from '../lib/data.js';
import { Dialog } from '../lib/dialog.js';
import { Time } from '../lib/format.js';
import { html, useState } from '../lib/html.js';
import { events } from '../lib/labels.js';
import { Badge, Empty, Facts } from '../lib/parts.js';
import { Filters, List } from '../lib/table.js';
import { toast, toastError } from '../lib/toast.js';

const FILTERS = [
  {
    name: 'success',
    label: 'Resultado',
    options: /** @type {[string, string][]} */ ([
      ['true', 'Entregues'],
      ['false', 'Falhas'],
    ]),
  },
  { name: 'event', label: 'Evento', options: events },
];

export function Deliveries({ path }) {
  const list = useList(`${path}/deliveries`, ['success', 'event']);
  const [shown, setShown] = useState(/** @type {any} */ (null));
  const again = async (delivery) => {
    await post(`${path}/deliveries/${delivery.id}/redeliver`).then(
      () => toast('Na fila para ser enviada de novo.'),
      toastError,
    );
    setTimeout(() => void list.reload(), 1500);
  };
  const columns = [
    {
      head: 'Evento',
      cell: (row) =>
        html`<button type="button" class="link" onClick=${() => setShown(row)}>${events.find(([one]) => one === row.event)?.[1] ?? row.event}</button>`,
    },
    { head: 'Quando', cell: (row) => html`<${Time} at=${row.createdAt} />` },
    {
      head: 'Resultado',
      cell: (row) =>
        html`<${Badge} tone=${row.success ? 'good' : 'bad'}>${row.responseCode || 'sem resposta'}<//> <span class="small muted">${row.durationMs} ms, tentativa ${row.attempt}</span>`,
    },
    {
      head: 'Ações',
      hideHead: true,
      number: true,
      cell: (row) =>
        row.eventId &&
        html`<button type="button" class="button plain" onClick=${() => again(row)}>Enviar de novo</button>`,
    },
  ];
  return html`<div class="stack">
    <${Filters} filters=${FILTERS} />
    <${List} list=${list} label="Entregas" columns=${columns} empty=${html`<${Empty} title="Nenhuma entrega ainda"><p class="muted">Use “Testar” para enviar uma.</p><//>`} />
    ${
      shown &&
      html`<${Dialog} title="Entrega" wide onClose=${() => setShown(null)}>
      <${Facts} of=${[['Evento', shown.event], ['Quando', html`<${Time} at=${shown.createdAt} full />`], ['Resposta', shown.responseCode ?? 'nenhuma'], ['Erro', shown.error]]} />
      <h3>Enviado</h3><pre tabindex="0">${JSON.stringify(shown.payload, null, 2)}</pre>
      <h3>Resposta</h3><pre tabindex="0">${shown.responseBody || 'vazia'}</pre>
    <//>`
    }
  </div>`;
}
