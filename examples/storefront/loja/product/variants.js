// What can be chosen of a product: one value of each kind.

import { html } from '../lib/html.js';

const chosenValue = (variant, kind) => variant?.values.find((one) => one.variantType === kind)?.value;

/** @param {{ variants: Variant[], chosen: Variant | undefined, onChoose: (variant: Variant) => void }} props */
export function Variants({ variants, chosen, onChoose }) {
  const kinds = [...new Set(variants.flatMap((one) => one.values.map((value) => value.variantType)))];
  /** The variant that has this value and most of what is chosen besides. */
  const best = (kind, value) => {
    const alike = (one) => kinds.filter((other) => chosenValue(one, other) === chosenValue(chosen, other)).length;
    const fitting = variants.filter((one) => chosenValue(one, kind) === value);
    return fitting.sort((a, b) => alike(b) - alike(a) || b.stock - a.stock)[0];
  };
  return kinds.map((kind) => {
    const values = [...new Set(variants.map((one) => chosenValue(one, kind)).filter(Boolean))];
    return html`<fieldset class="variants" key=${kind}><legend>${kind}</legend>
      <div class="chips">${values.map((value) => {
        const variant = best(kind, value);
        const soldOut = !variant || variant.stock < 1;
        return html`<label key=${value} class="chip ${soldOut ? 'off' : ''}">
          <input type="radio" name=${kind} checked=${chosenValue(chosen, kind) === value} onChange=${() => variant && onChoose(variant)} />
          <span>${value}${soldOut && html`<span class="sr-only"> (esgotado)</span>`}</span></label>`;
      })}</div>
    </fieldset>`;
  });
}
