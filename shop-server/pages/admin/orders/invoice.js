// The NF-e of an order.

import { get, post } from '../lib/api.js';
import { Dialog } from '../lib/dialog.js';
import { Field, FormFailure, SaveBar, useForm } from '../lib/form.js';
import { money, Time } from '../lib/format.js';
import { html, useEffect, useState } from '../lib/html.js';
import { invoiceStatus } from '../lib/labels.js';
import { Badge, Card, Facts } from '../lib/parts.js';
import { toast } from '../lib/toast.js';

const PAUSE = 3000;
/** @type {unknown[]} */
const UNDER_WAY = ['pendente', 'processando'];
/** @type {unknown[]} */
const UNUSED = ['rejeitada', 'denegada'];

/** @param {{ order: StaffOrder, reload: () => Promise<void> }} props */
export function Invoice({ order, reload }) {
  const [dialog, setDialog] = useState(/** @type {'emit' | 'cancel' | 'disable' | null} */ (null));
  const { invoice } = order;
  const path = `/api/admin/orders/${order.id}/nfe`;
  useEffect(() => {
    if (!UNDER_WAY.includes(invoice?.status)) return undefined;
    const timer = setInterval(async () => {
      const answer = await get(path).catch(() => null);
      if (answer && answer.data.status !== invoice?.status) await reload();
    }, PAUSE);
    return () => clearInterval(timer);
  }, [invoice?.status]);
  const mayEmit =
    order.payment.status === 'PAID' &&
    (!invoice || ['rejeitada', 'cancelada', 'inutilizada', 'ocupada'].includes(invoice.status));
  const actions = html`
    ${mayEmit && html`<button type="button" class="button" onClick=${() => setDialog('emit')}>Emitir NF-e</button>`}
    ${
      invoice?.status === 'autorizada' &&
      html`<a class="button" href="${path}/danfe" download>DANFE</a>
      <a class="button" href="${path}/xml" download>XML</a>
      <button type="button" class="button danger" onClick=${() => setDialog('cancel')}>Cancelar NF-e</button>`
    }
    ${UNUSED.includes(invoice?.status) && html`<button type="button" class="button" onClick=${() => setDialog('disable')}>Inutilizar número</button>`}`;
  return html`<${Card} title="Nota fiscal" actions=${actions}>
    ${invoice ? html`<${Shown} invoice=${invoice} />` : html`<p class="muted">${order.payment.status === 'PAID' ? 'Nenhuma nota emitida.' : 'A nota pode ser emitida quando o pedido estiver pago.'}</p>`}
    ${dialog === 'emit' && html`<${Emit} path=${path} order=${order} reload=${reload} onClose=${() => setDialog(null)} />`}
    ${(dialog === 'cancel' || dialog === 'disable') && html`<${Withdraw} path=${path} kind=${dialog} reload=${reload} onClose=${() => setDialog(null)} />`}
  <//>`;
}

/** @param {{ invoice: IssuedInvoice }} props */
function Shown({ invoice }) {
  const [text, tone] = invoiceStatus[invoice.status] ?? [invoice.status, ''];
  return html`<div class="stack">
    ${invoice.motivo && invoice.status !== 'autorizada' && html`<p class="notice ${tone}">${invoice.motivo}</p>`}
    <${Facts} of=${[
      ['Status', html`<${Badge} tone=${tone}>${text}<//>`],
      ['Número e série', `${invoice.numero} / ${invoice.serie}`],
      ['Valor', money(invoice.valor)],
      ['Emitida', html`<${Time} at=${invoice.emitidaEm} full />`],
      ['Chave', invoice.chave && html`<code class="small">${invoice.chave}</code>`],
      ...(invoice.ambiente === 'homologacao' ? [['Ambiente', 'homologação, sem valor fiscal']] : []),
    ]} />
  </div>`;
}

function Emit({ path, order, reload, onClose }) {
  const form = useForm({ cpf: order.user.cpf ?? '' }, async ({ cpf }) => {
    const { data } = await post(`${path}/emitir`, { cpf: cpf || null });
    toast(`NF-e ${data.numero}: ${(invoiceStatus[data.status]?.[0] ?? data.status).toLowerCase()}.`, {
      bad: data.status === 'rejeitada',
    });
    form.rebase(form.values);
    onClose();
    await reload();
  });
  return html`<${Dialog} title="Emitir NF-e" onClose=${onClose}>
    <form class="grid one" noValidate onSubmit=${form.submit}>
      <${FormFailure} form=${form} />
      <${Field} form=${form} name="cpf" label="CPF na nota" inputmode="numeric" hint="Vazio: o do cadastro do cliente, se houver." />
      <${SaveBar} form=${form} always label="Emitir NF-e" />
    </form>
  <//>`;
}

function Withdraw({ path, kind, reload, onClose }) {
  const cancels = kind === 'cancel';
  const form = useForm({ justificativa: '' }, async ({ justificativa }) => {
    await post(`${path}/${cancels ? 'cancelar' : 'inutilizar'}`, { justificativa });
    toast(cancels ? 'NF-e cancelada.' : 'Número inutilizado.');
    form.rebase(form.values);
    onClose();
    await reload();
  });
  return html`<${Dialog} title=${cancels ? 'Cancelar NF-e' : 'Inutilizar número'} onClose=${onClose}>
    <form class="grid one" noValidate onSubmit=${form.submit}>
      <${FormFailure} form=${form} />
      <p>${cancels ? 'A nota deixa de valer. Isso só é possível nas 24 horas depois da autorização, e não pode ser desfeito.' : 'O número não poderá mais ser usado.'}</p>
      <${Field} form=${form} name="justificativa" label="Justificativa" type="textarea" maxlength=${255} hint="De 15 a 255 caracteres; vai para a SEFAZ." />
      <${SaveBar} form=${form} always label=${cancels ? 'Cancelar a nota' : 'Inutilizar o número'} />
    </form>
  <//>`;
}
