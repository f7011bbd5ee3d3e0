// Parcels as staff packed them: their sides, their weight and what is in each, when their labels are bought.

import { ask, Dialog } from '../lib/dialog.js';
import { Field, FormFailure, useClosing, useForm } from '../lib/form.js';
import { plural } from '../lib/format.js';
import { html, useState } from '../lib/html.js';

const SIDES = [
  ['length', 'Comprimento', 'cm'],
  ['width', 'Largura', 'cm'],
  ['height', 'Altura', 'cm'],
  ['weight', 'Peso', 'kg'],
];
const MOST = 50;
const field = (parcel, name) => `parcels[${parcel}].${name}`;
const units = (parcel, line) => field(parcel, `items[${line}].quantity`);

/**
 * The lines of an order, with how many units of each travel in none of these parcels.
 * @param {StaffOrder} order
 * @param {Shipment[]} live
 */
export function unpacked(order, live) {
  const packed = live.flatMap((it) => it.items);
  return order.items
    .map((line) => {
      const same = packed.filter((it) => it.productId === line.productId && it.variantId === line.variantId);
      return { ...line, left: line.quantity - same.reduce((sum, it) => sum + it.quantity, 0) };
    })
    .filter((line) => line.left > 0);
}

/**
 * Asks how an order was packed, until `save` takes it.
 * @param {{ lines: { id: string, left: number, productNameSnapshot: string, variantSnapshot: string | null }[], fields: FieldProps[], save: (body: Values) => Promise<void> }} question
 */
export const askForParcels = (question) => ask((done) => html`<${Parcels} ...${question} done=${done} />`);

function Parcels({ lines, fields, save, done }) {
  const [count, setCount] = useState(1);
  const numbers = Array.from({ length: count }, (_, parcel) => parcel);
  // Everything is in the first one until somebody says where else it is.
  const initial = Object.fromEntries([
    ...SIDES.map(([name]) => [field(0, name), null]),
    ...lines.map((line, at) => [units(0, at), line.left]),
    ...fields.map(({ name, type }) => [name, type === 'money' ? null : '']),
  ]);
  const form = useForm(
    initial,
    async (values) => {
      const rest = Object.fromEntries(fields.map(({ name }) => [name, values[name]]).filter(([, value]) => value));
      await save({ ...rest, parcels: numbers.map((parcel) => read(values, parcel, lines)) }).catch((error) => {
        throw atItsPlace(error, values, lines);
      });
      done();
    },
    undefined,
    false,
  );
  const add = () => {
    for (const [name] of SIDES) form.set(field(count, name), null);
    for (const at of lines.keys()) form.set(units(count, at), null);
    setCount(count + 1);
  };
  return html`<${Dialog} title="Informar os volumes" onClose=${useClosing(form, () => done())} wide>
    <form class="grid one" noValidate onSubmit=${form.submit}>
      <p>Uma etiqueta para cada volume, paga com o saldo da conta.</p>
      <${FormFailure} form=${form} />
      ${numbers.map((parcel) => html`<${Parcel} key=${parcel} form=${form} parcel=${parcel} lines=${lines} />`)}
      <p class="actions left">
        ${count < MOST && html`<button type="button" class="button" onClick=${add}>Mais um volume</button>`}
        ${count > 1 && html`<button type="button" class="button plain" onClick=${() => setCount(count - 1)}>Tirar o volume ${count}</button>`}
      </p>
      ${fields.map((one) => html`<${Field} key=${one.name} form=${form} ...${one} />`)}
      <div class="save-bar"><span class="actions">
        <button class="button primary" disabled=${form.busy}>Comprar ${plural(count, 'etiqueta', 'etiquetas')}</button>
      </span></div>
    </form>
  <//>`;
}

function Parcel({ form, parcel, lines }) {
  const number = parcel + 1;
  const wrong = form.errors[field(parcel, 'items')];
  return html`<fieldset><legend>Volume ${number}</legend>
    <div class="grid">${SIDES.map(
      ([name, text, unit]) =>
        html`<${Field} key=${name} form=${form} name=${field(parcel, name)} label="${text} do volume ${number} (${unit})" type="number" />`,
    )}
    ${lines.map(
      (line, at) =>
        html`<${Field} key=${line.id} form=${form} name=${units(parcel, at)} type="whole" hint="de ${line.left}" wide
          label="${line.productNameSnapshot}${line.variantSnapshot ? ` (${line.variantSnapshot})` : ''} no volume ${number}" />`,
    )}</div>
    ${wrong && html`<p class="wrong">${wrong.join(' ')}</p>`}
  </fieldset>`;
}

/** The lines of which something is in a parcel, by their places. */
const inside = (values, parcel, lines) =>
  lines.map((_, at) => at).filter((at) => (values[units(parcel, at)] ?? 0) !== 0);

function read(values, parcel, lines) {
  const sides = Object.fromEntries(SIDES.map(([name]) => [name, values[field(parcel, name)]]));
  const items = inside(values, parcel, lines).map((at) => ({
    orderItemId: lines[at].id,
    quantity: values[units(parcel, at)],
  }));
  return { ...sides, items };
}

/** The server counts only the lines that it was told of. */
function atItsPlace(error, values, lines) {
  const moved = Object.entries(/** @type {Record<string, string[]>} */ (error.fieldErrors ?? {})).map(
    ([name, texts]) => {
      const [, parcel, item] = /^parcels\[(\d+)\]\.items\[(\d+)\]/.exec(name) ?? [];
      const at = parcel === undefined ? undefined : inside(values, Number(parcel), lines)[Number(item)];
      return [at === undefined ? name : units(Number(parcel), at), texts];
    },
  );
  return Object.assign(error, { fieldErrors: Object.fromEntries(moved) });
}
