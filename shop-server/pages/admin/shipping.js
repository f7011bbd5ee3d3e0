// Shipping: the shop's own tariffs by state, its boxes, and whether the carriers answer.

import { useData } from './lib/data.js';
import { Time } from './lib/format.js';
import { html } from './lib/html.js';
import { Badge, Card, Failure, Loaded, Page, Skeleton } from './lib/parts.js';
import { LabelAccount } from './shipping/account.js';
import { Boxes } from './shipping/boxes.js';
import { Tariffs } from './shipping/tariffs.js';

export default function Shipping() {
  const tariffs = useData('/api/admin/shipping');
  return html`<${Page} title="Frete">
    <${Loaded} of=${tariffs}>${(rows) => html`<${Tariffs} rows=${rows} reload=${tariffs.reload} />`}<//>
    <${Boxes} />
    <${Carriers} />
    <${LabelAccount} />
  <//>`;
}

function Carriers() {
  const carriers = useData('/api/admin/shipping/providers');
  return html`<${Card} title="Transportadoras">
    ${carriers.error && html`<${Failure} error=${carriers.error} retry=${carriers.reload} />`}
    ${!carriers.data && !carriers.error && html`<${Skeleton} rows=${2} />`}
    ${
      carriers.data &&
      html`<ul class="todo plain-list">${carriers.data.providers.map(
        (one) => html`<li key=${one.name}>
      <span>${one.name}</span>
      <span class="actions"><span class="small muted">${one.lastCheck ? html`verificada <${Time} at=${one.lastCheck} />` : 'não configurada'}</span>
        <${Badge} tone=${one.status === 'connected' ? 'good' : one.lastCheck ? 'bad' : ''}>${one.status === 'connected' ? 'Conectada' : 'Desconectada'}<//></span></li>`,
      )}</ul>`
    }
  <//>`;
}
