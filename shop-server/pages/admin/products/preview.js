// A product as shoppers see it.

import { Dialog } from '../lib/dialog.js';
import { money } from '../lib/format.js';
import { html } from '../lib/html.js';

/** @param {{ values: Values, variants: AdminVariant[], onClose: () => void }} props */
export function Preview({ values, variants, onClose }) {
  const image = values.images.find((one) => one.isPrimary) ?? values.images[0];
  const sold = values.stock <= 0 && variants.every((variant) => variant.stock <= 0);
  return html`<${Dialog} title="Como na loja" wide onClose=${onClose}>
    <article class="preview">
      ${image ? html`<img src="${image.url}" alt=${image.alt} />` : html`<div class="empty"><p class="muted">Sem foto</p></div>`}
      <div class="stack">
        <h3>${values.name || 'Sem nome'}</h3>
        <p><span class="price">${money(values.price)}</span> ${values.comparePrice > values.price && html`<s class="muted">${money(values.comparePrice)}</s>`}</p>
        ${variants.length > 0 && html`<ul>${variants.map((variant) => html`<li key=${variant.id}>${nameOf(variant)}: ${money(variant.price)}</li>`)}</ul>`}
        <p class=${sold ? 'down' : 'up'}>${sold ? 'Esgotado' : 'Em estoque'}</p>
        <p class="quote">${values.description}</p>
        ${!values.active && html`<p class="notice warn">Fora de venda: os clientes ainda não veem este produto.</p>`}
      </div>
    </article>
  <//>`;
}

export const nameOf = (variant) => variant.values.map((one) => one.variantOption.value).join(' / ');
