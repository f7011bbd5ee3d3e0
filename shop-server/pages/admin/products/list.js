// The products: found, ticked, put on sale and off it, cloned, deleted.

import { post } from '../lib/api.js';
import { useData, useList } from '../lib/data.js';
import { confirm } from '../lib/dialog.js';
import { count, money, plural } from '../lib/format.js';
import { html, useRef, useState } from '../lib/html.js';
import { Badge, Empty, Page, Thumb } from '../lib/parts.js';
import { Filters, List, Selection } from '../lib/table.js';
import { toast, toastError } from '../lib/toast.js';
import { clone } from './new.js';

const COLUMNS = [
  {
    head: 'Produto',
    lead: true,
    cell: (row) => html`<div class="named"><${Thumb} images=${row.images} /><div>
    <a href="/admin/products/${row.id}">${row.name}</a>${row.sku && html`<div class="small muted">${row.sku}</div>`}</div></div>`,
  },
  {
    head: 'Status',
    cell: (row) =>
      html`<${Badge} tone=${row.active ? 'good' : ''}>${row.active ? 'À venda' : 'Fora de venda'}<//>${row.featured && html` <${Badge} tone="info">Destaque<//>`}`,
  },
  { head: 'Categoria', cell: (row) => row.category?.name ?? html`<span class="muted">–</span>` },
  { head: 'Estoque', number: true, cell: (row) => count(row.stock) },
  { head: 'Vendas', number: true, cell: (row) => count(row._count.orderItems) },
  { head: 'Preço', number: true, cell: (row) => money(row.price) },
  {
    head: 'Ações',
    hideHead: true,
    number: true,
    cell: (row) =>
      html`<button type="button" class="button plain quiet" aria-label="Duplicar ${row.name}" onClick=${() => clone(row)}>Duplicar</button>`,
  },
];

export default function Products() {
  const list = useList('/api/admin/products', ['search', 'category', 'active', 'featured']);
  const categories = useData('/api/admin/categories');
  const [selected, setSelected] = useState(/** @type {Set<string>} */ (new Set()));
  // Those that are ticked may be on another page by now.
  const names = useRef(/** @type {Map<string, string>} */ (new Map()));
  for (const row of list.rows ?? []) names.current.set(row.id, row.name);
  const filters = [
    { name: 'category', label: 'Categoria', options: (categories.data ?? []).map((one) => [one.slug, one.name]) },
    {
      name: 'active',
      label: 'Status',
      options: [
        ['true', 'À venda'],
        ['false', 'Fora de venda'],
      ],
    },
    {
      name: 'featured',
      label: 'Destaque',
      options: [
        ['true', 'Em destaque'],
        ['false', 'Sem destaque'],
      ],
    },
  ];
  const bulk = async (action, one, many = one) => {
    try {
      const { data } = await post('/api/admin/products/bulk', { action, ids: [...selected] });
      toast(`${plural(data.updated ?? data.deleted, `produto ${one}`, `produtos ${many}`)}.`);
      setSelected(new Set());
    } catch (error) {
      toastError(error);
    }
    await list.reload();
  };
  const destroy = async () => {
    const all = [...selected].map((id) => names.current.get(id));
    const text = `${all.join(', ')}. Isso não pode ser desfeito.`;
    if (
      await confirm({
        title: `Excluir ${plural(selected.size, 'produto', 'produtos')}?`,
        text,
        action: 'Excluir',
        danger: true,
      })
    )
      await bulk('delete', 'excluído', 'excluídos');
  };
  return html`<${Page} title="Produtos" actions=${html`<a class="button primary" href="/admin/products/new">Novo produto</a>`}>
    <${Filters} search="search" placeholder="Buscar produtos" filters=${filters} />
    <${Selection} number=${selected.size} onClear=${() => setSelected(new Set())}>
      <button type="button" class="button" onClick=${() => bulk('activate', 'à venda')}>Pôr à venda</button>
      <button type="button" class="button" onClick=${() => bulk('deactivate', 'fora de venda')}>Tirar de venda</button>
      <button type="button" class="button danger" onClick=${destroy}>Excluir</button>
    <//>
    <${List} list=${list} label="Produtos" columns=${COLUMNS} selected=${selected} onSelect=${setSelected} empty=${html`<${Empty} title="Nenhum produto ainda">
      <p class="muted">Cadastre o primeiro: nome, preço e uma foto bastam.</p>
      <a class="button primary" href="/admin/products/new">Cadastrar o primeiro produto</a>
    <//>`} />
  <//>`;
}
