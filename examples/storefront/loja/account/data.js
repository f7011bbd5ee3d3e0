// Who a customer is, a copy of all that the shop knows about them, and the end of the account.

import { download, remove, send } from '../lib/api.js';
import { Field, FormFailure, Send, useForm } from '../lib/form.js';
import { digits, phone, taxNumber } from '../lib/format.js';
import { html } from '../lib/html.js';
import { askAgain } from '../lib/session.js';
import { toast, toastError } from '../lib/toast.js';
import { Account } from './frame.js';

export default function Data() {
  return html`<${Account} title="Meus dados">${(profile) => html`<${Person} profile=${profile} /><${Rights} guest=${profile.guest} />`}<//>`;
}

/** @param {{ profile: Profile }} props */
function Person({ profile }) {
  const initial = {
    name: profile.name,
    email: profile.email,
    phone: phone(profile.phone ?? ''),
    cpf: taxNumber(profile.cpf ?? ''),
    currentPassword: '',
  };
  const form = useForm(initial, async (values) => {
    const moves = values.email !== profile.email;
    await send('PUT', '/api/auth/me', {
      name: values.name,
      phone: digits(values.phone) || null,
      cpf: digits(values.cpf) || null,
      ...(moves && { email: values.email, ...(!profile.guest && { currentPassword: values.currentPassword }) }),
    });
    await askAgain();
    form.set({ currentPassword: '' });
    toast('Dados salvos.');
  });
  const forget = () =>
    send('PUT', '/api/auth/me', { cnpj: null })
      .then(askAgain)
      .then(() => toast('Empresa retirada.'), toastError);
  return html`<form class="card stack" novalidate onSubmit=${form.submit}><h2>Dados pessoais</h2>
    <div class="fields">
      <${Field} form=${form} name="name" label="Nome completo" autocomplete="name" required class="wide" />
      <${Field} form=${form} name="email" label="E-mail" type="email" autocomplete="email" required />
      <${Field} form=${form} name="phone" label="Celular" type="tel" autocomplete="tel-national" mask=${phone} />
      <${Field} form=${form} name="cpf" label="CPF" inputmode="numeric" mask=${taxNumber} />
      ${!profile.guest && form.values.email !== profile.email && html`<${Field} form=${form} name="currentPassword" label="Senha atual" type="password" autocomplete="current-password" hint="Para trocar o e-mail." required />`}
    </div>
    ${profile.cnpj && html`<p>As notas fiscais saem para ${profile.companyName}, CNPJ ${taxNumber(profile.cnpj)}. <button type="button" class="button" onClick=${forget}>Tirar a empresa</button></p>`}
    <${FormFailure} form=${form} /><p><${Send} form=${form} label="Salvar" busy="Salvando…" /></p></form>`;
}

/** @param {{ guest: boolean | undefined }} props a guest has no password */
function Rights({ guest }) {
  const copy = () => download('/api/user/export', 'meus-dados.json').catch(toastError);
  const form = useForm({ password: '' }, async ({ password }) => {
    await remove('/api/auth/me', guest ? {} : { password }).catch((error) => {
      const { currentPassword } = error.fieldErrors;
      throw currentPassword ? Object.assign(error, { fieldErrors: { password: currentPassword } }) : error;
    });
    location.assign('/');
  });
  return html`<section class="card stack" aria-labelledby="copy"><h2 id="copy">Cópia dos seus dados</h2>
      <p class="muted">Tudo o que a loja guarda sobre você, em um arquivo.</p>
      <p><button type="button" class="button" onClick=${copy}>Baixar meus dados</button></p></section>
    <details class="card"><summary>Excluir a conta</summary>
      <form class="stack" novalidate onSubmit=${form.submit}>
        <p>Seus dados, endereços e desejos são apagados. As notas fiscais ficam guardadas pelo prazo da lei. Isto não pode ser desfeito.</p>
        ${!guest && html`<${Field} form=${form} name="password" label="Senha" type="password" autocomplete="current-password" required />`}
        <${FormFailure} form=${form} />
        <p><button class="button danger" disabled=${form.busy}>Excluir a minha conta</button></p>
      </form></details>`;
}
