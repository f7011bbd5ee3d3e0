// A chart of days as inline SVG, with the same numbers as a table for those who do not see it.

import { count, money, plural } from './format.js';
import { html, useState } from './html.js';

const WIDTH = 720;
const HEIGHT = 200;
const BASE = 176;

/** @param {string} day `2026-11-22` */
const label = (day) => `${day.slice(8)}/${day.slice(5, 7)}`;

export function DaysChart({ days }) {
  const [over, setOver] = useState(-1);
  const most = Math.max(...days.map((day) => day.revenue), 1);
  const step = WIDTH / days.length;
  const every = Math.ceil(days.length / 8);
  const said = days[over];
  return html`<figure class="chart">
    <figcaption>${said ? `${label(said.date)}: ${money(said.revenue)} em ${plural(said.orders, 'pedido', 'pedidos')}` : 'Receita por dia'}</figcaption>
    <svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="Receita por dia; os números estão na tabela a seguir" onPointerLeave=${() => setOver(-1)}>
      ${[0.25, 0.5, 0.75, 1].map((part) => html`<line class="grid-line" x1="0" x2=${WIDTH} y1=${BASE - part * 160} y2=${BASE - part * 160} />`)}
      ${days.map(
        (day, at) => html`<g key=${day.date} onPointerEnter=${() => setOver(at)}>
        <rect class="hit" x=${at * step} y="0" width=${step} height=${BASE} />
        <rect class="bar ${at === over ? 'over' : ''}" rx="2" x=${at * step + step * 0.15} width=${step * 0.7}
          y=${BASE - (day.revenue / most) * 160} height=${Math.max((day.revenue / most) * 160, day.revenue ? 2 : 0)} />
        ${at % every === 0 && html`<text x=${at * step + step / 2} y=${HEIGHT - 6} text-anchor="middle">${label(day.date)}</text>`}
      </g>`,
      )}
      <line class="base-line" x1="0" x2=${WIDTH} y1=${BASE} y2=${BASE} />
    </svg>
    <table class="sr-only">
      <caption>Receita e pedidos por dia</caption>
      <thead><tr><th scope="col">Dia</th><th scope="col">Receita</th><th scope="col">Pedidos</th></tr></thead>
      <tbody>${days.map((day) => html`<tr key=${day.date}><th scope="row">${label(day.date)}</th><td>${money(day.revenue)}</td><td>${count(day.orders)}</td></tr>`)}</tbody>
    </table>
  </figure>`;
}
