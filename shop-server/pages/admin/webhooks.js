// Webhooks: who is told what, whether they listen, and what was sent to them.

import { post } from './lib/api.js';
import { useData } from './lib/data.js';
import { destroy } from './lib/destroy.js';
import { EditorDialog } from './lib/editor.js';
import { Ticks } from './lib/form.js';
import { html, useState } from './lib/html.js';
import { events } from './lib/labels.js';
import { Badge, Card, Empty, Loaded, Page } from './lib/parts.js';
import { useQuery } from './lib/router.js';
import { toast, toastError } from './lib/toast.js';
import { Deliveries } from './webhooks/deliveries.js';
import { recover } from './webhooks/recover.js';

/** @type {FieldProps[]} */
const FIELDS = [
  { name: 'url', label: 'Endereço (URL)', type: 'url', wide: true, placeholder: 'https://erp.exemplo.com.br/avisos' },
  { name: 'secret', label: 'Segredo da assinatura', autocomplete: 'off', maxlength: 256, wide: true },
  { name: 'active', label: 'Ativo', type: 'checkbox' },
  { name: 'events', label: 'Eventos' },
];

/** @param {any} endpoint @returns {[string, string]} */
function stateOf(endpoint) {
  if (endpoint.disabledReason)
    return [
      endpoint.disabledReason === 'GONE' ? 'Desligado: o destino não existe mais' : 'Desligado: falhou por muito tempo',
      'bad',
    ];
  if (!endpoint.active) return ['Inativo', ''];
  return endpoint.failingSince ? ['Falhando', 'warn'] : ['Ativo', 'good'];
}

export default function Webhooks() {
  const endpoints = useData('/api/admin/webhooks');
  const [query, setQuery] = useQuery();
  const [editing, setEditing] = useState(/** @type {string | null} */ (null));
  const open = query.get('endpoint');
  const create = html`<button type="button" class="button primary" onClick=${() => setEditing('new')}>Novo webhook</button>`;
  const failing = query.get('failing') === 'true';
  const shown = (rows) => (failing ? rows.filter((endpoint) => endpoint.failingSince) : rows);
  return html`<${Page} title="Webhooks" actions=${create}>
    ${failing && html`<p class="notice">Só os que estão falhando. <a href="/admin/webhooks">Mostrar todos</a></p>`}
    <${Loaded} of=${endpoints}>${(rows) => html`
      ${failing && !shown(rows).length && html`<${Empty} title="Nenhum webhook está falhando" />`}
      ${rows.length === 0 && html`<${Empty} title="Nenhum webhook"><p class="muted">A loja avisa outros programas de pedidos, pagamentos e estoque assim que algo acontece.</p>${create}<//>`}
      ${shown(rows).map(
        (
          endpoint,
        ) => html`<${Endpoint} key=${endpoint.id} endpoint=${endpoint} reload=${endpoints.reload} edit=${() => setEditing(endpoint.id)}
        open=${open === endpoint.id} toggle=${() => setQuery({ endpoint: open === endpoint.id ? null : endpoint.id, success: null, event: null })} />`,
      )}`}<//>
    ${editing && html`<${Edit} id=${editing} onSaved=${endpoints.reload} onClose=${() => setEditing(null)} />`}
  <//>`;
}

/** @param {{ endpoint: WebhookEndpoint, reload: () => Promise<void>, edit: () => void, open: boolean, toggle: () => void }} props */
function Endpoint({ endpoint, reload, edit, open, toggle }) {
  const path = `/api/admin/webhooks/${endpoint.id}`;
  const [text, tone] = stateOf(endpoint);
  const test = async () => {
    try {
      const { data } = await post(`${path}/test`);
      toast(
        data.delivered
          ? `O destino respondeu ${data.statusCode} em ${data.duration} ms.`
          : `O teste falhou: ${data.error ?? data.statusCode}.`,
        { bad: !data.delivered },
      );
    } catch (error) {
      toastError(error);
    }
    await reload();
  };
  const drop = async () => {
    const text = `${endpoint.url} deixa de ser avisado, e as entregas feitas a ele somem da lista.`;
    await destroy({ title: 'Excluir este webhook?', text, path, done: 'Webhook excluído.' });
    await reload();
  };
  return html`<${Card}>
    <div class="stack">
      <div class="card-head"><h2>${endpoint.url}</h2><${Badge} tone=${tone}>${text}<//></div>
      <p class="muted">${endpoint.events.map((event) => events.find(([one]) => one === event)?.[1] ?? event).join(', ')}</p>
      <div class="actions">
        <button type="button" class="button" aria-expanded=${open ? 'true' : 'false'} onClick=${toggle}>Entregas</button>
        <button type="button" class="button" onClick=${test}>Testar</button>
        <button type="button" class="button" onClick=${() => recover(path, endpoint.failingSince)}>Recuperar</button>
        <button type="button" class="button" onClick=${edit}>Editar</button>
        <button type="button" class="button plain quiet" onClick=${drop}>Excluir</button>
      </div>
      ${open && html`<${Deliveries} path=${path} />`}
    </div>
  <//>`;
}

function Edit({ id, onSaved, onClose }) {
  const path = id === 'new' ? null : `/api/admin/webhooks/${id}`;
  const endpoint = useData(path);
  const { etag } = endpoint;
  const write = (/** @type {Values} */ { secret, active, ...rest }) => ({
    ...rest,
    ...(secret || !path ? { secret } : {}),
    ...(path && active !== undefined ? { active } : {}),
  });
  const title = path ? 'Editar webhook' : 'Novo webhook';
  const secret = path ? 'Vazio: continua o que está. ' : 'Com ele o destino confere quem avisa. ';
  const fields = FIELDS.slice(0, path ? 3 : 2).map((it) => (it.name === 'secret' ? { ...it, hint: secret } : it));
  const form = (
    data,
  ) => html`<${EditorDialog} ...${{ title, path, etag, fields, read, write, onClose }} create="/api/admin/webhooks" initial=${read(data)}
    saved="Webhook salvo." onSaved=${() => void onSaved()}>${(form) => html`<${Ticks} form=${form} name="events" label="Eventos" options=${events} />`}<//>`;
  return path ? html`<${Loaded} of=${endpoint}>${form}<//>` : form({ url: '', active: true, events: ['order.paid'] });
}

/** The secret is never shown again; an empty one leaves it as it is. */
const read = (data) => ({ url: data.url, secret: '', active: data.active, events: data.events });
