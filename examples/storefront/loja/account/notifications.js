// What the shop told a customer.

import { patch, post } from '../lib/api.js';
import { useData } from '../lib/data.js';
import { moment } from '../lib/format.js';
import { html } from '../lib/html.js';
import { Empty, Loaded } from '../lib/parts.js';
import { go } from '../lib/router.js';
import { toastError } from '../lib/toast.js';
import { Account } from './frame.js';

export default function Notifications() {
  return html`<${Account} title="Avisos">${() => html`<${List} />`}<//>`;
}

function List() {
  const list = useData('/api/user/notifications');
  const open = async ({ id, link, read }) => {
    if (!read) await patch(`/api/user/notifications/${id}`, { read: true }).catch(() => {});
    if (link) go(link);
    else await list.reload();
  };
  const all = async () => {
    await post('/api/user/notifications/read-all').catch(toastError);
    await list.reload();
  };
  return html`<${Loaded} of=${list} count=${4}>${(notices) =>
    notices.length
      ? html`${notices.some(({ read }) => !read) && html`<p><button type="button" class="button" onClick=${all}>Marcar todos como lidos</button></p>`}
      <ul class="notices">${notices.map(
        (one) => html`<li key=${one.id} class="card ${one.read ? '' : 'new'}">
        <button type="button" class="plain" onClick=${() => open(one)}><strong>${one.title}${!one.read && html`<span class="sr-only"> (novo)</span>`}</strong><br />${one.body}<br /><span class="small muted">${moment(one.createdAt)}</span></button></li>`,
      )}</ul>`
      : html`<${Empty} title="Nenhum aviso por aqui" />`}<//>`;
}
