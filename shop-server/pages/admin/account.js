// The own account: its password, and where it is logged in.

import { patch } from './lib/api.js';
import { useData } from './lib/data.js';
import { destroy } from './lib/destroy.js';
import { Field, FormFailure, SaveBar, useForm } from './lib/form.js';
import { Time } from './lib/format.js';
import { html } from './lib/html.js';
import { Badge, Card, Facts, Loaded, Page } from './lib/parts.js';
import { Table } from './lib/table.js';
import { toast } from './lib/toast.js';

const EMPTY = { currentPassword: '', newPassword: '', again: '' };

/** A mistake that the page sees itself, in the form of the server's. */
const differs = (text) => Object.assign(new Error(text), { fieldErrors: { again: [text] } });

export default function Account() {
  const me = useData('/api/auth/me');
  const form = useForm(EMPTY, async ({ currentPassword, newPassword, again }) => {
    if (newPassword !== again) throw differs('As senhas não são iguais.');
    await patch('/api/admin/settings/change-password', { currentPassword, newPassword });
    form.rebase(EMPTY);
    toast('Senha alterada. As outras sessões terminaram.');
  });
  return html`<${Page} title="Minha conta">
    <${Card} title="Dados"><${Loaded} of=${me} rows=${2}>${(data) => html`<${Facts} of=${[['Nome', data.name], ['E-mail', data.email]]} />`}<//><//>
    <${Card} title="Senha">
      <form class="grid" noValidate onSubmit=${form.submit}>
        <${FormFailure} form=${form} />
        <${Field} form=${form} name="currentPassword" label="Senha atual" type="password" autocomplete="current-password" wide />
        <${Field} form=${form} name="newPassword" label="Nova senha" type="password" autocomplete="new-password" />
        <${Field} form=${form} name="again" label="Nova senha, de novo" type="password" autocomplete="new-password" />
        <${SaveBar} form=${form} always label="Alterar a senha" />
      </form>
    <//>
    <${Sessions} />
  <//>`;
}

/** A browser and its system, as far as they say so. */
function device(agent) {
  const system = /Android|iPhone|iPad|Windows|Mac OS|Linux/.exec(agent ?? '')?.[0];
  const browser = /Edg|OPR|Firefox|Chrome|Safari/.exec(agent ?? '')?.[0]?.replace('Edg', 'Edge').replace('OPR', 'Opera');
  return [browser, system].filter(Boolean).join(', ') || 'Programa';
}

function Sessions() {
  const sessions = useData('/api/admin/sessions');
  const end = async (path, title, text) => {
    if (await destroy({ title, text, path, action: 'Encerrar', done: 'Encerrado.' })) await sessions.reload();
  };
  const columns = [
    { head: 'Aparelho', lead: true, cell: (row) => html`<span title=${row.userAgent}>${device(row.userAgent)}</span>${row.current && html` <${Badge} tone="good">Este<//>`}` },
    { head: 'Endereço', cell: (row) => row.address ?? '–' },
    { head: 'Último uso', cell: (row) => html`<${Time} at=${row.lastUsedAt} />` },
    { head: 'Desde', cell: (row) => html`<${Time} at=${row.createdAt} />` },
    { head: 'Ações', hideHead: true, number: true, cell: (row) => !row.current && html`<button type="button" class="button plain quiet" aria-label="Encerrar ${device(row.userAgent)}"
      onClick=${() => end(`/api/admin/sessions/${row.id}`, 'Encerrar esta sessão?', `${device(row.userAgent)} precisará entrar de novo.`)}>Encerrar</button>` },
  ];
  const others = sessions.data?.length > 1 && html`<button type="button" class="button" onClick=${() => end('/api/admin/sessions', 'Encerrar as outras sessões?', 'Todos os outros aparelhos precisarão entrar de novo.')}>Encerrar as outras</button>`;
  return html`<${Card} title="Sessões" actions=${others}>
    <${Loaded} of=${sessions} rows=${2}>${(rows) => html`<${Table} label="Sessões" columns=${columns} rows=${rows} />`}<//>
  <//>`;
}
