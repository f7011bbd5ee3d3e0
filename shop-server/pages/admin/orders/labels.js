// What is printed to send orders, and the boxes that an order travels in.

import { address } from '../lib/api.js';
import { count } from '../lib/format.js';
import { html } from '../lib/html.js';
import { Card } from '../lib/parts.js';

const KINDS = [
  ['address', 'Etiquetas'],
  ['content', 'Declaração de conteúdo'],
  ['slip', 'Lista de separação'],
];

/** @param {{ ids: string[] }} props */
export function Labels({ ids }) {
  return KINDS.map(
    ([kind, name]) =>
      html`<a key=${kind} class="button" href=${address(`/api/admin/orders/labels/${kind}`, { ids: ids.join(',') })} download>${name}</a>`,
  );
}

/** @param {{ order: StaffOrder }} props */
export function Packing({ order }) {
  return html`<${Card} title="Volumes" actions=${html`<${Labels} ids=${[order.id]} />`}>
    ${order.packing.map(
      (one, at) => html`<p key=${at}><strong>${one.box ?? 'Sem caixa'}</strong>
      <span class="muted"> ${[one.length, one.width, one.height].map(count).join(' x ')} cm, ${count(one.weight)} kg</span></p>
      <ul>${one.items.map((item, n) => html`<li key=${n}>${item.quantity} × ${item.name}</li>`)}</ul>`,
    )}
  <//>`;
}
