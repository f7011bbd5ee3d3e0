// How many of something, by two buttons or typed.

import { html } from './html.js';

/** @param {{ value: number, max?: number, label: string, onChange: (value: number) => void }} props */
export function Quantity({ value, max = 500, label, onChange }) {
  const set = (wanted) => onChange(Math.min(max, Math.max(1, Math.trunc(wanted) || 1)));
  return html`<div class="quantity" role="group" aria-label=${label}>
    <button type="button" aria-label="Um a menos" disabled=${value <= 1} onClick=${() => set(value - 1)}>−</button>
    <input aria-label=${label} inputmode="numeric" value=${value} onChange=${(event) => set(Number(event.currentTarget.value))} />
    <button type="button" aria-label="Um a mais" disabled=${value >= max} onClick=${() => set(value + 1)}>+</button>
  </div>`;
}
