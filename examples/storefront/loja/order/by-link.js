// What the link of an order's mail makes of a guest: an account with a password, or a part of the account
// that is logged in.

import { post } from '../lib/api.js';
import { forget } from '../lib/data.js';
import { Field, FormFailure, Send, useForm } from '../lib/form.js';
import { html } from '../lib/html.js';
import { go, loginPath } from '../lib/router.js';
import { askAgain, me } from '../lib/session.js';
import { toast, toastError } from '../lib/toast.js';

/** @param {{ token: string, order: Order, reload: () => Promise<void> }} props */
export function ByLink({ token, order, reload }) {
  const profile = me.use();
  if (!profile || profile.guest) return html`<${Password} token=${token} />`;
  return profile.id !== order.userId && html`<${Join} token=${token} reload=${reload} />`;
}

function Password({ token }) {
  const form = useForm({ password: '' }, async ({ password }) => {
    await post('/api/auth/guest/password', { token, password });
    await askAgain().catch(() => {});
    toast('Senha criada.');
    go('/conta');
  });
  return html`<details class="card"><summary>Criar uma senha</summary>
    <form class="stack" novalidate onSubmit=${form.submit}>
      <p class="small muted">Comprou sem conta? Com uma senha, seus pedidos e endereços ficam guardados.</p>
      <${Field} form=${form} name="password" label="Senha" type="password" autocomplete="new-password" hint="Pelo menos 8 caracteres." required />
      <${FormFailure} form=${form} />
      ${form.failure?.code === 'email_taken' && html`<p class="small">Este e-mail já tem uma conta. <a href=${loginPath()}>Entre nela</a> para juntar este pedido.</p>`}
      <${Send} form=${form} label="Criar senha" />
    </form></details>`;
}

function Join({ token, reload }) {
  const join = async () => {
    try {
      const { message } = await post('/api/auth/guest/claim', { token });
      forget('/api/orders');
      toast(message);
    } catch (error) {
      toastError(error);
    }
    await reload();
  };
  return html`<section class="card stack" aria-labelledby="join"><h2 id="join">Guardar na minha conta</h2>
    <p class="small muted">Este pedido foi feito sem conta. Junte-o aos seus outros pedidos.</p>
    <p><button type="button" class="button" onClick=${join}>Juntar à minha conta</button></p></section>`;
}
