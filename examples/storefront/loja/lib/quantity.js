// How many of something, by two buttons or typed. What is typed stands there until it is done, then what counts.

import { html, useState } from './html.js';

/** @param {{ value: number, max?: number, label: string, onChange: (value: number) => void }} props */
export function Quantity({ value, max = 500, label, onChange }) {
  const set = (wanted) => onChange(Math.min(max, Math.max(1, Math.trunc(wanted) || 1)));
  const [typed, setTyped] = useState(/** @type {string | null} */ (null));
  const take = (text) => {
    setTyped(null);
    set(Number(text));
  };
  return html`<div class="quantity" role="group" aria-label=${label}>
    <button type="button" aria-label="Um a menos" disabled=${value <= 1} onClick=${() => set(value - 1)}>−</button>
    <input aria-label=${label} inputmode="numeric" value=${typed ?? value}
      onInput=${(event) => setTyped(event.currentTarget.value)} onChange=${(event) => take(event.currentTarget.value)} />
    <button type="button" aria-label="Um a mais" disabled=${value >= max} onClick=${() => set(value + 1)}>+</button>
  </div>`;
}
