// The own account: its password, its second factor, and where it is logged in.

import { disable, enrol, PATH, renewCodes } from './account/two-factor.js';
import { patch } from './lib/api.js';
import { useData } from './lib/data.js';
import { destroy } from './lib/destroy.js';
import { Field, FormFailure, SaveBar, useForm, wrongAt } from './lib/form.js';
import { plural, Time } from './lib/format.js';
import { html } from './lib/html.js';
import { Badge, Card, Facts, Loaded, Page } from './lib/parts.js';
import { Table } from './lib/table.js';
import { toast } from './lib/toast.js';

const EMPTY = { currentPassword: '', newPassword: '', again: '' };
/** So few recovery codes are a reason to have new ones. */
const FEW = 3;

export default function Account() {
  const me = useData('/api/auth/me');
  const sessions = useData('/api/admin/sessions');
  const form = useForm(EMPTY, async ({ currentPassword, newPassword, again }) => {
    if (newPassword !== again) throw wrongAt('again', 'As senhas não são iguais.');
    await patch('/api/admin/settings/change-password', { currentPassword, newPassword });
    form.rebase(EMPTY);
    toast('Senha alterada. As outras sessões terminaram.');
    await sessions.reload();
  });
  return html`<${Page} title="Minha conta">
    <${Card} title="Dados"><${Loaded} of=${me} rows=${2}>${(data) => html`<${Facts} of=${[['Nome', data.name], ['E-mail', data.email]]} />`}<//><//>
    <${Card} title="Senha">
      <form class="grid" noValidate onSubmit=${form.submit}>
        <${FormFailure} form=${form} />
        <${Field} form=${form} name="currentPassword" label="Senha atual" type="password" autocomplete="current-password" wide />
        <${Field} form=${form} name="newPassword" label="Nova senha" type="password" autocomplete="new-password" hint="No mínimo 8 caracteres." />
        <${Field} form=${form} name="again" label="Nova senha, de novo" type="password" autocomplete="new-password" />
        <${SaveBar} form=${form} always label="Alterar a senha" />
      </form>
    <//>
    <${TwoFactor} onChange=${sessions.reload} />
    <${Sessions} sessions=${sessions} />
  <//>`;
}

function TwoFactor({ onChange }) {
  const status = useData(PATH);
  const button = (text, action, kind = '') =>
    html`<button type="button" class="button ${kind}" onClick=${async () => {
      await action();
      await Promise.all([status.reload(), onChange()]);
    }}>${text}</button>`;
  const badge =
    status.data &&
    html`<${Badge} tone=${status.data.enabled ? 'good' : 'warn'}>${status.data.enabled ? 'Ativa' : 'Inativa'}<//>`;
  return html`<${Card} title="Verificação em duas etapas" actions=${badge}>
    <${Loaded} of=${status} rows=${2}>${({ enabled, recoveryCodesLeft: left }) =>
      enabled
        ? html`<div class="stack">
          <p>Cada entrada pede a senha e um código do seu aplicativo autenticador.</p>
          <p class=${left < FEW ? 'notice warn' : 'muted'}>${plural(left, 'código de recuperação restante', 'códigos de recuperação restantes')}.</p>
          <p class="actions left">${button('Novos códigos de recuperação', renewCodes)}${button('Desativar', disable, 'danger')}</p>
        </div>`
        : html`<div class="stack">
          <p>Com ela, quem descobrir sua senha não entra sem o seu celular.</p>
          <p class="actions left">${button('Ativar', enrol, 'primary')}</p>
        </div>`}<//>
  <//>`;
}

// What a browser's name has in it, and what that is. Most names have those of others, too, after their own.
const BROWSERS = [
  'Edg:Edge',
  'OPR:Opera',
  'SamsungBrowser:Samsung Internet',
  'Firefox:Firefox',
  'FxiOS:Firefox',
  'Chrome:Chrome',
  'CriOS:Chrome',
  'Safari:Safari',
];
const SYSTEMS = [
  'Android:Android',
  'iPhone:iPhone',
  'iPad:iPad',
  'Windows:Windows',
  'Mac OS:macOS',
  'CrOS:ChromeOS',
  'Linux:Linux',
];

/** A browser and its system, else the name that the program gave itself. */
function device(agent) {
  const among = (names) => names.map((name) => name.split(':')).find(([mark]) => agent?.includes(mark))?.[1];
  return [among(BROWSERS), among(SYSTEMS)].filter(Boolean).join(', ') || agent?.slice(0, 60) || 'Programa';
}

function Sessions({ sessions }) {
  const end = async (path, title, text, done) => {
    if (await destroy({ title, text, path, action: 'Encerrar', done })) await sessions.reload();
  };
  const columns = [
    {
      head: 'Aparelho',
      lead: true,
      cell: (row) =>
        html`<bdi title=${row.userAgent}>${device(row.userAgent)}</bdi>${row.current && html` <${Badge} tone="good">Este aparelho<//>`}`,
    },
    { head: 'Endereço', cell: (row) => row.address ?? '–' },
    { head: 'Último uso', cell: (row) => html`<${Time} at=${row.lastUsedAt} />` },
    { head: 'Desde', cell: (row) => html`<${Time} at=${row.createdAt} />` },
    {
      head: 'Ações',
      hideHead: true,
      number: true,
      cell: (row) =>
        !row.current &&
        html`<button type="button" class="button plain quiet" aria-label="Encerrar ${device(row.userAgent)}"
      onClick=${() => end(`/api/admin/sessions/${row.id}`, 'Encerrar esta sessão?', `${device(row.userAgent)} precisará entrar de novo.`, 'Sessão encerrada.')}>Encerrar</button>`,
    },
  ];
  const others =
    sessions.data?.length > 1 &&
    html`<button type="button" class="button" onClick=${() => end('/api/admin/sessions', 'Encerrar as outras sessões?', 'Todos os outros aparelhos precisarão entrar de novo.', 'As outras sessões foram encerradas.')}>Encerrar as outras</button>`;
  return html`<${Card} title="Sessões" actions=${others}>
    <${Loaded} of=${sessions} rows=${2}>${(rows) => html`<${Table} label="Sessões" columns=${columns} rows=${rows} />`}<//>
  <//>`;
}
