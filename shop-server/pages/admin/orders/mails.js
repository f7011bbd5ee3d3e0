// What the customer was told about an order by mail.

import { Time } from '../lib/format.js';
import { html } from '../lib/html.js';
import { mailKind, mailState } from '../lib/labels.js';
import { Card, Loaded, Status } from '../lib/parts.js';
import { resendColumn } from '../lib/resend.js';
import { Table } from '../lib/table.js';

/** @type {Column[]} */
const COLUMNS = [
  {
    head: 'Assunto',
    lead: true,
    cell: (row) =>
      html`<div>${row.subject ?? mailKind[row.kind] ?? row.kind}<div class="small muted">${row.recipient}</div></div>`,
  },
  {
    head: 'Situação',
    cell: (row) =>
      html`<${Status} of=${mailState} is=${row.state} />${row.error && html`<div class="small muted">${row.error}</div>`}`,
  },
  { head: 'Quando', cell: (row) => html`<${Time} at=${row.sentAt ?? row.createdAt} full />` },
];

const isGivenUp = (mail) => mail.state === 'GIVEN_UP';

/** @param {{ mails: Data }} props */
export function Mails({ mails }) {
  return html`<${Card} title="E-mails ao cliente">
    <${Loaded} of=${mails} rows=${1}>${(/** @type {MailOfOrder[]} */ rows) =>
      rows.length
        ? html`<${Table} label="E-mails ao cliente" columns=${[...COLUMNS, resendColumn(isGivenUp, mails.reload)]} rows=${rows} />`
        : html`<p class="muted">Nenhum e-mail até agora.</p>`}<//>
  <//>`;
}
