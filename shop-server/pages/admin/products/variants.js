// The variants of a product as a grid: each row is typed over and saved by itself; new ones are made of
// the options of the kinds of variation.

import { get, patch, post } from '../lib/api.js';
import { destroy } from '../lib/destroy.js';
import { Field, FormFailure, same, useForm } from '../lib/form.js';
import { html, useState } from '../lib/html.js';
import { Card, Loaded } from '../lib/parts.js';
import { toast } from '../lib/toast.js';
import { setStock } from '../stock/units.js';
import { nameOf } from './preview.js';

/** Where they are empty, the product's count.
 * @type {[name: string, label: string][]} */
const PACKED = [
  ['weight', 'Peso (kg)'],
  ['length', 'Comprimento (cm)'],
  ['width', 'Largura (cm)'],
  ['height', 'Altura (cm)'],
];

const read = (data) => ({
  ...Object.fromEntries(
    ['price', 'comparePrice', 'stock', ...PACKED.map(([name]) => name)].map((name) => [name, data[name]]),
  ),
  sku: data.sku ?? '',
});

/** @param {{ product: any, path: string, variants: Data, types: Data }} props */
export function Variants({ product, path, variants, types }) {
  // Closed, it keeps what was typed.
  const [adding, setAdding] = useState(/** @type {boolean | null} */ (null));
  const add = types.data?.length
    ? html`<button type="button" class="button" onClick=${() => setAdding(!adding)}>${adding ? 'Fechar' : 'Nova variante'}</button>`
    : html`<a href="/admin/categories">Criar tipos de variação</a>`;
  return html`<${Card} title="Variantes" actions=${types.data && add}>
    <${Loaded} of=${variants} rows=${2}>${(rows) => html`
      ${rows.length === 0 && !adding && html`<p class="muted">Tamanhos, cores, aromas: cada variante tem o próprio preço, SKU e estoque.</p>`}
      ${rows.length > 0 && html`<${Grid} path=${path} rows=${rows} reload=${variants.reload} />`}`}<//>
    ${adding !== null && html`<div hidden=${!adding}><${NewVariant} path=${path} types=${types.data} price=${product.price} onSaved=${variants.reload} /></div>`}
  <//>`;
}

function Grid({ path, rows, reload }) {
  return html`<div class="stack">${rows.map((variant) => html`<${Row} key=${variant.id + JSON.stringify(read(variant))} all="${path}/variants" variant=${variant} reload=${reload} />`)}</div>`;
}

/** @param {{ all: string, variant: AdminVariant, reload: () => Promise<void> }} props */
function Row({ all, variant, reload }) {
  const path = `${all}/${variant.id}`;
  const name = nameOf(variant);
  /** Takes over what somebody else changed meanwhile, for the person to look at. @param {Values} values */
  const refuseOlder = async (values) => {
    const { data } = await get(all);
    const now = data.find(({ id }) => id === variant.id);
    if (!now) return;
    /** @type {Values} */
    const theirs = { ...read(now), stock: form.base.stock };
    const changed = Object.keys(theirs).filter((field) => !same(theirs[field], form.base[field]));
    if (!changed.length) return;
    form.rebase(theirs, true);
    for (const field of changed) if (same(values[field], form.base[field])) form.set(field, theirs[field]);
    throw new Error(
      'Outra pessoa alterou esta variante. Os campos que você não mudou já mostram os valores novos: confira e salve de novo.',
    );
  };
  const form = useForm(read(variant), async (values, { stock: _, ...changes }) => {
    const { stock } = values;
    if (Object.keys(changes).length) await refuseOlder(values);
    if (stock !== form.base.stock) {
      if (!(await setStock({ id: variant.id, name: `“${name}”`, stock: form.base.stock }, stock))) return;
      form.rebase({ ...form.base, stock }, true);
    }
    const others = 'sku' in changes ? { ...changes, sku: changes.sku || null } : changes;
    const { data } = Object.keys(others).length ? await patch(path, others) : { data: { ...variant, stock } };
    toast(`Variante ${name} salva.`);
    form.rebase(read(data));
    await reload();
  });
  const drop = async () => {
    const text = 'O estoque dela sai com ela. Isso não pode ser desfeito.';
    await destroy({ title: `Excluir a variante ${name}?`, text, path, done: `Variante ${name} excluída.` });
    await reload();
  };
  return html`<form class="variant" noValidate onSubmit=${form.submit} aria-label="Variante ${name}">
    <h3>${name}</h3>
    <${Field} form=${form} name="price" label="Preço (R$)" type="money" />
    <${Field} form=${form} name="comparePrice" label="Anterior (R$)" type="money" />
    <${Field} form=${form} name="stock" label="Unidades" type="whole" />
    <${Field} form=${form} name="sku" label="SKU" maxlength=${64} autocomplete="off" />
    <div class="actions">
      <button class="button ${form.dirty ? 'primary' : ''}" disabled=${!form.dirty || form.busy}>Salvar</button>
      <button type="button" class="button icon danger" aria-label="Excluir variante ${name}" onClick=${drop}>✕</button>
    </div>
    <details class="wide"><summary>Peso e medidas</summary><div class="grid">
      ${PACKED.map(([field, label]) => html`<${Field} key=${field} form=${form} name=${field} label=${label} type="number" placeholder="do produto" />`)}
    </div></details>
    <${FormFailure} form=${form} />
  </form>`;
}

/** @param {{ path: string, types: VariantType[], price: number, onSaved: () => Promise<void> }} props */
function NewVariant({ path, types, price, onSaved }) {
  const empty = { ...Object.fromEntries(types.map((type) => [type.id, null])), price, stock: 0, sku: '' };
  const form = useForm(empty, async (values) => {
    const chosen = types.map((type) => values[type.id]).filter(Boolean);
    const { data } = await post(`${path}/variants`, {
      price: values.price,
      stock: values.stock ?? 0,
      sku: values.sku || null,
      values: chosen.map((variantOptionId) => ({ variantOptionId })),
    });
    toast(`Variante ${nameOf(data)} criada.`);
    form.rebase(empty);
    await onSaved();
  });
  return html`<form class="grid spaced" noValidate onSubmit=${form.submit} aria-label="Nova variante">
    <${FormFailure} form=${form} />
    ${types.map(
      (type) => html`<${Field} key=${type.id} form=${form} name=${type.id} label=${type.name} type="select"
      options=${[[null, '–'], ...type.options.map((option) => [option.id, option.value])]} />`,
    )}
    <${Field} form=${form} name="price" label="Preço (R$)" type="money" />
    <${Field} form=${form} name="stock" label="Unidades" type="whole" />
    <${Field} form=${form} name="sku" label="SKU" maxlength=${64} autocomplete="off" />
    <p class="actions"><button class="button primary" disabled=${form.busy}>Criar variante</button></p>
  </form>`;
}
