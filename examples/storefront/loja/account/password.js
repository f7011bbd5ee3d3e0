// Another password.

import { send } from '../lib/api.js';
import { Field, FormFailure, Send, useForm } from '../lib/form.js';
import { html } from '../lib/html.js';
import { toast } from '../lib/toast.js';
import { Account } from './frame.js';

export default function Password() {
  return html`<${Account} title="Senha">${(profile) =>
    profile.guest
      ? html`<p class="notice">Você comprou sem conta, e ainda não há uma senha. Abra o link que enviamos por e-mail com o pedido e escolha “Criar uma senha”.</p>`
      : html`<${Change} profile=${profile} />`}<//>`;
}

/** @param {{ profile: Profile }} props */
function Change({ profile }) {
  const form = useForm({ currentPassword: '', newPassword: '' }, async (values) => {
    const { message } = await send('PATCH', '/api/auth/me/password', values);
    form.set({ currentPassword: '', newPassword: '' });
    toast(message);
  });
  return html`<form class="card stack" novalidate onSubmit=${form.submit}>
    <input type="hidden" name="email" autocomplete="username" value=${profile.email} />
    <${Field} form=${form} name="currentPassword" label="Senha atual" type="password" autocomplete="current-password" required />
    <${Field} form=${form} name="newPassword" label="Nova senha" type="password" autocomplete="new-password" hint="Pelo menos 8 caracteres." required />
    <${FormFailure} form=${form} /><p><${Send} form=${form} label="Trocar a senha" busy="Salvando…" /></p>
    <p class="small"><a href="/senha">Esqueci a senha</a></p></form>`;
}
