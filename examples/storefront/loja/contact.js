// A message to the shop.

import { post } from './lib/api.js';
import { Field, FormFailure, Send, useForm } from './lib/form.js';
import { html, useState } from './lib/html.js';
import { Screen } from './lib/parts.js';

export default function Contact() {
  const [done, setDone] = useState('');
  const form = useForm({ name: '', email: '', subject: '', message: '' }, async (values) => {
    const { message } = await post('/api/contact', values);
    setDone(message);
  });
  return html`<${Screen} title="Fale com a gente" lead="Respondemos em até um dia útil." kind="narrow">
    ${
      done
        ? html`<p class="notice good" role="status">${done}</p>`
        : html`<form class="card stack" novalidate onSubmit=${form.submit}>
          <${Field} form=${form} name="name" label="Nome" autocomplete="name" maxlength=${120} required />
          <${Field} form=${form} name="email" label="E-mail" type="email" autocomplete="email" required />
          <${Field} form=${form} name="subject" label="Assunto" maxlength=${200} required />
          <${Field} form=${form} name="message" label="Mensagem" type="textarea" rows=${6} maxlength=${5000} required />
          <${FormFailure} form=${form} /><${Send} form=${form} label="Enviar mensagem" /></form>`
    }<//>`;
}
