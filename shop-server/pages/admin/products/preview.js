// A product as shoppers see it: its pictures, what can be chosen, and what that costs.

import { Dialog } from '../lib/dialog.js';
import { money } from '../lib/format.js';
import { html, useState } from '../lib/html.js';

export const nameOf = (variant) => variant.values.map((one) => one.variantOption.value).join(' / ');

/** @param {{ values: Values, variants: AdminVariant[], onClose: () => void }} props */
export function Preview({ values, variants, onClose }) {
  const [chosen, setChosen] = useState(0);
  const variant = variants[chosen];
  const { price, comparePrice, stock } = variant ?? values;
  return html`<${Dialog} title="Como na loja" wide onClose=${onClose}>
    <article class="preview">
      <${Pictures} images=${values.images} />
      <div class="stack">
        <h3>${values.name || 'Sem nome'}</h3>
        <p><span class="price">${money(price)}</span> ${comparePrice > price && html`<s class="muted">${money(comparePrice)}</s>`}</p>
        ${
          variants.length > 0 &&
          html`<div class="options" role="group" aria-label="Variantes">${variants.map(
            (one, at) => html`
          <button type="button" key=${one.id} class="button" aria-pressed=${at === chosen ? 'true' : 'false'} onClick=${() => setChosen(at)}>${nameOf(one)}</button>`,
          )}</div>`
        }
        <p class=${stock > 0 ? 'up' : 'down'}>${stock > 0 ? 'Em estoque' : 'Esgotado'}</p>
        <p class="quote">${values.description}</p>
        ${!values.active && html`<p class="notice warn">Fora de venda: os clientes ainda não veem este produto.</p>`}
      </div>
    </article>
  <//>`;
}

/** @param {{ images: Picture[] }} props */
function Pictures({ images }) {
  const [chosen, setChosen] = useState(
    Math.max(
      0,
      images.findIndex((one) => one.isPrimary),
    ),
  );
  const image = images[chosen];
  if (!image) return html`<div class="empty"><p class="muted">Sem foto</p></div>`;
  return html`<div class="stack">
    <img src="${image.url}" alt=${image.alt ?? ''} />
    ${
      images.length > 1 &&
      html`<div class="options" role="group" aria-label="Fotos">${images.map(
        (one, at) => html`
      <button type="button" key=${one.url} aria-label="Foto ${at + 1}" aria-pressed=${at === chosen ? 'true' : 'false'} onClick=${() => setChosen(at)}>
        <img src="${one.url}" alt="" /></button>`,
      )}</div>`
    }
  </div>`;
}
