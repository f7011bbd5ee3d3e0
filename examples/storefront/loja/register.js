// A new account.

import { post } from './lib/api.js';
import { readCart } from './lib/cart.js';
import { Field, FormFailure, Send, useForm } from './lib/form.js';
import { html } from './lib/html.js';
import { Screen } from './lib/parts.js';
import { go, loginPath } from './lib/router.js';
import { askAgain } from './lib/session.js';

/** Where to go next: an address of this shop and no other. */
function next() {
  const wanted = new URL(new URLSearchParams(location.search).get('next') ?? '/conta', location.origin);
  return wanted.origin === location.origin ? wanted.pathname + wanted.search : '/conta';
}

export default function Register() {
  const form = useForm({ name: '', email: '', password: '' }, async (values) => {
    await post('/api/auth/register', values);
    await askAgain();
    await readCart().catch(() => {});
    go(next(), { replace: true });
  });
  return html`<${Screen} title="Criar conta" lead="Para acompanhar pedidos e guardar endereços." kind="narrow">
    <form class="card stack" novalidate onSubmit=${form.submit}>
      <${Field} form=${form} name="name" label="Nome completo" autocomplete="name" required />
      <${Field} form=${form} name="email" label="E-mail" type="email" autocomplete="username" required />
      <${Field} form=${form} name="password" label="Senha" type="password" autocomplete="new-password" hint="Pelo menos 8 caracteres." required />
      <${FormFailure} form=${form} /><${Send} form=${form} label="Criar conta" class="wide" />
    </form>
    <p class="small">Já tem conta? <a href=${loginPath(next())}>Entrar</a></p><//>`;
}
