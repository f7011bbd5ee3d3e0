// Where labels are bought: whether the shop is connected, and what its balance holds.

import { get } from '../lib/api.js';
import { useData } from '../lib/data.js';
import { destroy } from '../lib/destroy.js';
import { money } from '../lib/format.js';
import { html } from '../lib/html.js';
import { shipmentProblem } from '../lib/labels.js';
import { Badge, Card, Facts, Loaded } from '../lib/parts.js';
import { toastError } from '../lib/toast.js';

const CONNECTION = '/api/admin/shipping/melhor-envio';

/** @type {Record<string, string>} */
const NAMES = { sandbox: 'Ambiente de teste', 'melhor-envio': 'Melhor Envio' };

export function LabelAccount() {
  const account = useData('/api/admin/shipping/label-provider');
  return html`<${Card} title="Compra de etiquetas"><${Loaded} of=${account} rows=${2}>${(data) => html`<${Account} account=${data} reload=${account.reload} />`}<//><//>`;
}

function Account({ account: { provider, connected, balance, problem }, reload }) {
  if (!provider)
    return html`<p class="muted">Nenhuma. Escolha onde a loja compra etiquetas em <code>shipping.labels.provider</code>, na configuração.</p>`;
  // The account's holder allows it there, and is sent back to the shop.
  const connect = () => get(`${CONNECTION}/connect`).then(({ data }) => location.assign(data.address), toastError);
  const disconnect = async () => {
    const title = 'Desconectar a conta do Melhor Envio?';
    const text = 'Nenhuma etiqueta pode ser comprada até conectar de novo.';
    const gone = await destroy({
      title,
      text,
      path: `${CONNECTION}/connection`,
      done: 'Conta desconectada.',
      action: 'Desconectar',
    });
    if (gone) await reload();
  };
  return html`<${Facts} of=${[
    ['Onde', NAMES[provider] ?? provider],
    ['Conta', html`<${Badge} tone=${connected ? 'good' : 'bad'}>${connected ? 'Conectada' : 'Desconectada'}<//>`],
    ['Saldo', balance != null && money(balance)],
    ['Problema', problem && (shipmentProblem[problem.kind] ?? problem.kind)],
  ]} />
  ${
    provider === 'melhor-envio' &&
    html`<p class="actions left spaced"><button type="button" class="button ${connected ? '' : 'primary'}" onClick=${connect}>${connected ? 'Conectar outra vez' : 'Conectar'}</button>
    ${connected && html`<button type="button" class="button" onClick=${disconnect}>Desconectar</button>`}</p>`
  }`;
}
