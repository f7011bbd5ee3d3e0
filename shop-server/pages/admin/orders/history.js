// What happened to an order, and what staff tell each other about it.

import { Field, FormFailure, useForm } from '../lib/form.js';
import { Time } from '../lib/format.js';
import { html } from '../lib/html.js';
import { orderStatus } from '../lib/labels.js';
import { Card, Status } from '../lib/parts.js';

/** @type {Record<string, string>} */
const ACTORS = {
  STAFF: 'Equipe',
  CUSTOMER: 'Cliente',
  SYSTEM: 'Sistema',
  KEY: 'Integração',
  PAYMENT: 'Pagamento',
  CARRIER: 'Transportadora',
  SWEEPER: 'Prazo de pagamento encerrado',
};

/** @param {{ order: StaffOrder }} props */
export function History({ order }) {
  const placed = {
    status: 'PENDING',
    actor: 'CUSTOMER',
    actorName: order.user.name,
    createdAt: order.createdAt,
    note: 'Pedido feito',
  };
  const moves = [placed, ...order.history].reverse();
  return html`<${Card} title="Histórico"><${Timeline} moves=${moves} labels=${orderStatus} /><//>`;
}

/** Who moved it where, the latest first.
 * @param {{ moves: any[], labels: Record<string, Label> }} props
 */
export const Timeline = ({ moves, labels }) =>
  html`<ol class="timeline">
    ${moves.map(
      (move, at) => html`<li key=${at}>
      <${Status} of=${labels} is=${move.status} />
      <div class="small muted">${move.actorName ?? ACTORS[move.actor] ?? move.actor} · <${Time} at=${move.createdAt} full /></div>
      ${move.note && html`<p class="quote">${move.note}</p>`}
    </li>`,
    )}
  </ol>`;

/** @param {{ notes: OrderNote[], add: (note: string) => Promise<void> }} props */
export function Notes({ notes, add }) {
  const form = useForm({ note: '' }, async ({ note }) => {
    await add(note);
    form.rebase({ note: '' });
  });
  return html`<${Card} title="Notas internas">
    <div class="stack">
      ${notes.map((note) => html`<div key=${note.id}><p class="quote">${note.note}</p><p class="small muted">${note.author} · <${Time} at=${note.createdAt} /></p></div>`)}
      <form class="grid one" noValidate onSubmit=${form.submit}>
        <${FormFailure} form=${form} />
        <${Field} form=${form} name="note" label="Nova nota" type="textarea" maxlength=${1000} rows=${2} hint="Só a equipe vê." />
        <button class="button" disabled=${form.busy || !form.values.note.trim()}>Adicionar nota</button>
      </form>
    </div>
  <//>`;
}
