// What customers say of a product, some at a time, and a form to say something.

import { post } from '../lib/api.js';
import { useData } from '../lib/data.js';
import { Field, FormFailure, Send, useForm } from '../lib/form.js';
import { date, number, plural } from '../lib/format.js';
import { html, useEffect, useState } from '../lib/html.js';
import { Loaded } from '../lib/parts.js';
import { Stars } from '../lib/products.js';
import { loginPath } from '../lib/router.js';
import { me } from '../lib/session.js';
import { ofTab } from '../lib/store.js';

const A_PAGE = 4;

/** @param {{ slug: string }} props */
export function Reviews({ slug }) {
  const reviews = useData(`/api/products/${slug}/reviews`);
  const [shown, setShown] = useState(A_PAGE);
  return html`<section id="avaliacoes" aria-labelledby="reviews-title"><h2 id="reviews-title">Avaliações</h2>
    <${Loaded} of=${reviews} count=${3}>${({ data, summary }) => html`<div class="reviews">
      <div class="summary">
        ${summary.total > 0 ? html`<${Summary} of=${summary} />` : html`<p class="muted">Ainda não há avaliações. Seja a primeira pessoa a contar como foi.</p>`}
        <${Write} slug=${slug} />
      </div>
      <div>
        ${data.slice(0, shown).map((review) => html`<${Review} key=${review.id} of=${review} />`)}
        ${data.length > shown && html`<button type="button" class="button" onClick=${() => setShown(shown + A_PAGE)}>Mostrar mais avaliações</button>`}
      </div>
    </div>`}<//>
  </section>`;
}

function Summary({ of: { average, total, distribution } }) {
  return html`<p class="average"><strong>${number(average)}</strong> <${Stars} average=${average} /> <span class="small muted">${plural(total, 'avaliação', 'avaliações')}</span></p>
  <ul class="bars">${[5, 4, 3, 2, 1].map(
    (rating) =>
      html`<li key=${rating} class="small"><span>${plural(rating, 'estrela', 'estrelas')}</span><progress max=${total} value=${distribution[rating]} aria-label=${plural(rating, 'estrela', 'estrelas')}></progress><span class="muted">${distribution[rating]}</span></li>`,
  )}</ul>`;
}

function Review({ of }) {
  return html`<article class="review">
    <p><${Stars} average=${of.rating} /> ${of.title && html`<strong>${of.title}</strong>`}</p>
    <p>${of.body}</p>
    <p class="small muted">${of.author} · <time datetime=${of.createdAt}>${date(of.createdAt)}</time>${of.verifiedPurchase && ' · Compra verificada'}</p>
  </article>`;
}

function Write({ slug }) {
  const profile = me.use();
  const [done, setDone] = useState(false);
  const place = `review:${slug}`;
  // What was typed before the session ended, say.
  const before = ofTab.get(place);
  const form = useForm({ rating: '', title: '', body: '', ...before }, async ({ rating, title, body }) => {
    await post(`/api/products/${slug}/reviews`, { rating: Number(rating), title: title || null, body });
    setDone(true);
  });
  const { rating, title, body } = form.values;
  useEffect(() => ofTab.set(place, !done && (rating || title || body) ? form.values : null), [form.values, done]);
  if (done)
    return html`<p class="notice good" role="status">Obrigado! A avaliação aparece aqui depois que a equipe a ler.</p>`;
  if (!profile) return html`<p class="small"><a href=${loginPath()}>Entre na sua conta</a> para avaliar.</p>`;
  const wrong = form.errors.rating;
  return html`<details class="card" open=${Boolean(before)}><summary>Escrever uma avaliação</summary>
    <form class="stack" novalidate onSubmit=${form.submit}>
      <fieldset class="rating"><legend>Sua nota</legend>
        ${[1, 2, 3, 4, 5].map((rating) => html`<label key=${rating}><input type="radio" name="rating" value=${rating} checked=${form.values.rating === String(rating)} aria-invalid=${wrong ? 'true' : undefined} onChange=${() => form.set({ rating: String(rating) })} /><span aria-hidden="true" class=${Number(form.values.rating) >= rating ? 'on' : ''}>★</span><span class="sr-only">${plural(rating, 'estrela', 'estrelas')}</span></label>`)}
        ${wrong && html`<span class="wrong">Escolha de 1 a 5 estrelas.</span>`}
      </fieldset>
      <${Field} form=${form} name="title" label="Título" maxlength=${150} />
      <${Field} form=${form} name="body" label="O que você achou?" type="textarea" maxlength=${4000} required />
      <${FormFailure} form=${form} />
      <${Send} form=${form} label="Enviar avaliação" />
    </form></details>`;
}
