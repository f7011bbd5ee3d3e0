// The own password.

import { patch } from './lib/api.js';
import { useData } from './lib/data.js';
import { Field, FormFailure, SaveBar, useForm } from './lib/form.js';
import { html } from './lib/html.js';
import { Card, Facts, Loaded, Page } from './lib/parts.js';
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
  <//>`;
}
