// A forgotten password: a link to another one comes by mail.

import { post } from './lib/api.js';
import { Field, FormFailure, Send, useForm } from './lib/form.js';
import { html, useState } from './lib/html.js';
import { Screen } from './lib/parts.js';

export default function Forgotten() {
  const [done, setDone] = useState('');
  const form = useForm({ email: '' }, async (values) => {
    const { message } = await post('/api/auth/forgot-password', values);
    setDone(message);
  });
  return html`<${Screen} title="Esqueci a senha" lead="Enviamos um link para você criar outra." kind="narrow">
    ${
      done
        ? html`<p class="notice good" role="status">${done}</p>`
        : html`<form class="card stack" novalidate onSubmit=${form.submit}>
          <${Field} form=${form} name="email" label="E-mail" type="email" autocomplete="username" required />
          <${FormFailure} form=${form} /><${Send} form=${form} label="Enviar o link" class="wide" /></form>`
    }
    <p class="small"><a href="/login?next=/conta">Voltar para entrar</a></p><//>`;
}
