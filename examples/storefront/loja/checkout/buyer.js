// Who buys: a name and where to write to, or the account that is logged in.

import { Field } from '../lib/form.js';
import { phone, taxNumber } from '../lib/format.js';
import { html } from '../lib/html.js';
import { loginPath } from '../lib/router.js';

/** @param {string} document */
export const isCompany = (document) => document.replace(/[^\da-z]/gi, '').length > 11;

/** @param {{ form: Form, profile: Profile | null }} props */
export function Buyer({ form, profile }) {
  const known = profile && !profile.guest;
  return html`<section class="card stack" aria-labelledby="buyer">
    <div class="card-head"><h2 id="buyer">Seus dados</h2>
      ${!known && html`<p class="small">Já tem conta? <a href=${loginPath('/finalizar')}>Entrar</a></p>`}</div>
    ${
      known
        ? html`<p>${profile.name}<br /><span class="muted">${profile.email}</span></p>`
        : html`<div class="fields">
          <${Field} form=${form} name="name" label="Nome completo" autocomplete="name" required class="wide" />
          <${Field} form=${form} name="email" label="E-mail" type="email" autocomplete="email" required hint="Para enviar o pedido e o rastreio." />
          <${Field} form=${form} name="phone" label="Celular" type="tel" autocomplete="tel-national" mask=${phone} />
        </div>`
    }
    <div class="fields">
      <${Field} form=${form} name="document" label="CPF ou CNPJ" mask=${taxNumber} autocapitalize="characters" hint="Sai na nota fiscal." />
      ${isCompany(form.values.document) && html`<${Field} form=${form} name="companyName" label="Razão social" autocomplete="organization" required />`}
    </div>
    ${!known && html`<p class="small muted">Você não precisa criar uma senha. <a href="/cadastro?next=/finalizar">Prefiro criar uma conta</a></p>`}
  </section>`;
}
