// One customer: orders, what they came to, addresses; suspended and let in again; a copy of the data.

import { patch } from '../lib/api.js';
import { useData } from '../lib/data.js';
import { confirm } from '../lib/dialog.js';
import { cep, count, cpf, money, Time } from '../lib/format.js';
import { html } from '../lib/html.js';
import { orderStatus } from '../lib/labels.js';
import { Badge, Card, Facts, Loaded, Page, Status } from '../lib/parts.js';
import { Table } from '../lib/table.js';
import { toast, toastError } from '../lib/toast.js';

const ORDERS = [
  {
    head: 'Pedido',
    lead: true,
    cell: (row) => html`<a class="nowrap" href="/admin/orders/${row.id}">${row.orderNumber}</a>`,
  },
  { head: 'Quando', cell: (row) => html`<${Time} at=${row.createdAt} />` },
  { head: 'Status', cell: (row) => html`<${Status} of=${orderStatus} is=${row.status} />` },
  { head: 'Total', number: true, cell: (row) => money(row.total) },
];

export default function CustomerDetail({ id }) {
  const path = `/api/admin/customers/${encodeURIComponent(id)}`;
  const customer = useData(path);
  return html`<${Loaded} of=${customer}>${(data) => html`<${Customer} path=${path} customer=${data} state=${customer} />`}<//>`;
}

/** What the shop knows of a customer, as a file. */
function download(customer) {
  const file = new Blob([JSON.stringify(customer, null, 2)], { type: 'application/json' });
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = `cliente-${customer.id}.json`;
  link.click();
  URL.revokeObjectURL(link.href);
}

/** @param {{ path: string, customer: Customer, state: Data }} props */
function Customer({ path, customer, state }) {
  const suspend = async () => {
    const active = !customer.isActive;
    const question = {
      title: `Suspender ${customer.name}?`,
      text: 'As sessões terminam agora, e a conta não entra mais na loja até ser reativada.',
      action: 'Suspender',
      danger: true,
    };
    if (!active && !(await confirm(question))) return;
    try {
      await patch(`${path}/status`, { active }, state.etag);
      toast(active ? 'Conta reativada.' : 'Conta suspensa.');
    } catch (error) {
      toastError(error);
    }
    await state.reload();
  };
  const actions = html`
    <button type="button" class="button" onClick=${() => download(customer)}>Baixar os dados</button>
    <button type="button" class="button ${customer.isActive ? 'danger' : ''}" onClick=${suspend}>${customer.isActive ? 'Suspender' : 'Reativar'}</button>`;
  return html`<${Page} title=${customer.name} back="/admin/customers" backLabel="Clientes" actions=${actions}>
    ${!customer.isActive && html`<p class="notice warn">Esta conta está suspensa.</p>`}
    <div class="columns">
      <div><${Card} title="Pedidos">
        ${customer.orders.length ? html`<${Table} label="Pedidos" columns=${ORDERS} rows=${customer.orders} />` : html`<p class="muted">Nenhum pedido até agora.</p>`}
      <//></div>
      <div>
        <${Card} title="Dados"><${Facts} of=${[
          ['E-mail', html`<a href="mailto:${customer.email}">${customer.email}</a>`],
          ['Telefone', customer.phone],
          ['CPF', cpf(customer.cpf)],
          ['Cliente desde', html`<${Time} at=${customer.createdAt} full />`],
          ['Pedidos', count(customer._count.orders)],
          ['Total pago', html`<strong>${money(customer.totalSpent)}</strong>`],
        ]} /><//>
        <${Card} title="Endereços"><div class="stack">
          ${customer.addresses.length === 0 && html`<p class="muted">Nenhum endereço.</p>`}
          ${customer.addresses.map(
            (one) => html`<div key=${one.id}>
            <p><strong>${one.label}</strong>${one.isDefault && html` <${Badge}>Padrão<//>`}</p>
            <p class="muted">${one.street}, ${one.number}${one.complement ? ` – ${one.complement}` : ''}, ${one.district}, ${one.city} – ${one.state}, ${cep(one.zipCode)}</p>
          </div>`,
          )}
        </div><//>
      </div>
    </div>
  <//>`;
}
