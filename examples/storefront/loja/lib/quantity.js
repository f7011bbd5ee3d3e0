// How many of something, by two buttons or typed. What is typed stands there until it is done, then what counts.

import { html, useRef, useState } from './html.js';

/** @param {{ value: number, max?: number, label: string, onChange: (value: number) => unknown }} props */
export function Quantity({ value, max = 500, label, onChange }) {
  // What was asked for and not answered yet: each further tap counts from it.
  const [asked, setAsked] = useState(/** @type {number | null} */ (null));
  const latest = useRef(0);
  const now = asked ?? value;
  const set = async (wanted) => {
    const next = Math.min(max, Math.max(1, Math.trunc(wanted) || 1));
    const turn = ++latest.current;
    setAsked(next);
    await onChange(next);
    if (turn === latest.current) setAsked(null);
  };
  const [typed, setTyped] = useState(/** @type {string | null} */ (null));
  const take = (text) => {
    setTyped(null);
    set(Number(text));
  };
  return html`<div class="quantity" role="group" aria-label=${label}>
    <button type="button" aria-label="Um a menos" disabled=${now <= 1} onClick=${() => set(now - 1)}>−</button>
    <input aria-label=${label} inputmode="numeric" value=${typed ?? now}
      onInput=${(event) => setTyped(event.currentTarget.value)} onChange=${(event) => take(event.currentTarget.value)} />
    <button type="button" aria-label="Um a mais" disabled=${now >= max} onClick=${() => set(now + 1)}>+</button>
  </div>`;
}
