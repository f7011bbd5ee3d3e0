// One product: what shoppers read and see, what it costs, how many there are.

import { useData } from '../lib/data.js';
import { destroy } from '../lib/destroy.js';
import { useEditor } from '../lib/editor.js';
import { Field, FormFailure, SaveBar } from '../lib/form.js';
import { html, useRef, useState } from '../lib/html.js';
import { Card, Loaded, Page, Thumb } from '../lib/parts.js';
import { go } from '../lib/router.js';
import { Fiscal } from './fiscal.js';
import { clone, slugOf } from './new.js';
import { Pictures } from './pictures.js';
import { Preview } from './preview.js';
import { Variants } from './variants.js';

/** @type {Values} */
const NEW = {
  name: '',
  slug: '',
  description: '',
  price: null,
  comparePrice: null,
  stock: 0,
  sku: null,
  weight: null,
  length: null,
  width: null,
  height: null,
  categoryId: null,
  active: false,
  featured: false,
  variantRequired: false,
  images: [],
};

/** @type {FieldProps[]} */
export const SIDES = [
  { name: 'length', label: 'Comprimento (cm)', type: 'number' },
  { name: 'width', label: 'Largura (cm)', type: 'number' },
  { name: 'height', label: 'Altura (cm)', type: 'number' },
];

/** @type {FieldProps[]} */
const FIELDS = [
  { name: 'name', label: 'Nome', maxlength: 200, wide: true },
  { name: 'slug', label: 'Endereço na loja', hint: 'Letras minúsculas, números e hifens.' },
  { name: 'description', label: 'Descrição', type: 'textarea', maxlength: 20000, rows: 8, wide: true },
  { name: 'price', label: 'Preço (R$)', type: 'money' },
  { name: 'comparePrice', label: 'Preço anterior (R$)', type: 'money', hint: 'Aparece riscado ao lado do preço.' },
  { name: 'stock', label: 'Unidades', type: 'whole' },
  { name: 'sku', label: 'SKU', maxlength: 64, autocomplete: 'off' },
  { name: 'weight', label: 'Peso (kg)', type: 'number', hint: 'Com a embalagem, para o frete.' },
  ...SIDES,
  { name: 'categoryId', label: 'Categoria', type: 'select', wide: true },
  { name: 'active', label: 'À venda', type: 'checkbox' },
  { name: 'featured', label: 'Em destaque na loja', type: 'checkbox' },
  { name: 'variantRequired', label: 'Vendido só nas variações', type: 'checkbox' },
  {
    name: 'images',
    label: 'Fotos',
    show: (images) => images.map((image) => html`<${Thumb} images=${[image]} />${image.alt} `),
  },
];

export const read = (product) => ({
  ...Object.fromEntries(FIELDS.map(({ name }) => [name, product[name]])),
  categoryId: product.category?.id ?? null,
  images: product.images.map(({ url, alt, isPrimary }) => ({ url, alt, isPrimary })),
});

/** @param {Values} changes */
function write(changes) {
  const { images, ...rest } = changes;
  if ('sku' in rest) rest.sku = rest.sku || null;
  return images ? { ...rest, images: images.map((image, order) => ({ ...image, order })) } : rest;
}

export default function ProductDetail({ id }) {
  const isNew = id === 'new';
  const path = isNew ? null : `/api/admin/products/${encodeURIComponent(id)}`;
  const product = useData(path);
  const categories = useData('/api/admin/categories');
  // All of it is asked for at once.
  const more = {
    categories: categories.data ?? [],
    variants: useData(path && `${path}/variants`),
    types: useData(path && '/api/admin/variant-types'),
    fiscal: useData(path && `${path}/fiscal`),
  };
  if (isNew) return html`<${Editor} path=${null} product=${null} state=${product} ...${more} />`;
  return html`<${Loaded} of=${product} rows=${10}>${(data) => html`<${Editor} path=${path} product=${data} state=${product} ...${more} />`}<//>`;
}

function Editor({ path, product, state, categories, variants, types, fiscal }) {
  const [previewing, setPreviewing] = useState(false);
  const options = /** @type {[any, string][]} */ ([
    [null, 'Sem categoria'],
    ...categories.map((one) => [one.id, one.name]),
  ]);
  const fields = FIELDS.map((field) => (field.name === 'categoryId' ? { ...field, options } : field));
  const uploading = useRef(0);
  const form = useEditor({
    path,
    create: '/api/admin/products',
    etag: state.etag,
    untagged: ['stock'],
    fields,
    initial: product ? read(product) : NEW,
    read,
    write: (values) => {
      if (uploading.current) throw new Error('Espere o envio das fotos terminar.');
      return write(values);
    },
    saved: path ? 'Produto salvo.' : 'Produto criado.',
    onSaved: (data, etag) => (path ? state.set(data, etag) : void go(`/admin/products/${data.id}`, { saved: true })),
  });
  const field = (name) => html`<${Field} form=${form} ...${fields.find((one) => one.name === name)} />`;
  const made = useRef('');
  const named = (event) => {
    // An address that was typed stays.
    if (path || event.target.name !== 'name' || form.values.slug !== made.current) return;
    made.current = slugOf(event.target.value);
    form.set('slug', made.current);
  };
  const actions = html`
    <button type="button" class="button" onClick=${() => setPreviewing(true)}>Ver como na loja</button>
    ${
      path &&
      html`<button type="button" class="button" onClick=${() => clone(product)}>Duplicar</button>
      <button type="button" class="button danger" onClick=${() => drop(product)}>Excluir</button>`
    }`;
  return html`<${Page} title=${product?.name ?? 'Novo produto'} back="/admin/products" backLabel="Produtos" actions=${actions}>
    <form class="stack" noValidate onSubmit=${form.submit} onInput=${named} aria-label="Produto">
      <${FormFailure} form=${form} />
      <div class="columns">
        <div>
          <${Card}><div class="grid">${field('name')}${field('description')}</div><//>
          <${Card} title="Fotos"><${Pictures} images=${form.values.images} name=${form.values.name} wrong=${form.errors.images} onChange=${(images) => form.set('images', images)} onUploading=${(count) => (uploading.current = count)} /><//>
        </div>
        <div>
          <${Card} title="Publicação"><div class="grid one">${field('active')}${field('featured')}${field('variantRequired')}${field('categoryId')}${field('slug')}</div><//>
          <${Card} title="Preço e estoque"><div class="grid">${['price', 'comparePrice', 'stock', 'sku', 'weight', 'length', 'width', 'height'].map(field)}</div><//>
        </div>
      </div>
      <${SaveBar} form=${form} label=${path ? 'Salvar' : 'Criar produto'} />
    </form>
    ${path && html`<${Variants} product=${product} path=${path} variants=${variants} types=${types} /><${Fiscal} path=${path} fiscal=${fiscal} />`}
    ${previewing && html`<${Preview} values=${form.values} variants=${variants.data ?? []} onClose=${() => setPreviewing(false)} />`}
  <//>`;
}

async function drop(product) {
  const text = `“${product.name}” sai da loja com as fotos e as variantes. Os pedidos que o contêm continuam como estão. Isso não pode ser desfeito.`;
  const gone = await destroy({
    title: 'Excluir este produto?',
    text,
    path: `/api/admin/products/${product.id}`,
    done: 'Produto excluído.',
  });
  if (gone) await go('/admin/products', { saved: true });
}
