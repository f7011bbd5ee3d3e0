// The audit log: who changed what, and when, with the values before and after.

import { useList } from './lib/data.js';
import { Dialog } from './lib/dialog.js';
import { Time } from './lib/format.js';
import { html, useState } from './lib/html.js';
import { Empty, Page } from './lib/parts.js';
import { Filters, List } from './lib/table.js';

/** What the log calls each thing that was done, in Portuguese. */
/** @type {Record<string, string>} */
const ACTIONS = {
  'product.create': 'Produto criado',
  'product.update': 'Produto alterado',
  'product.delete': 'Produto excluído',
  'product.clone': 'Produto duplicado',
  'product.import': 'Produtos importados',
  'product_fiscal.update': 'Dados fiscais de produto alterados',
  'variant.create': 'Variante criada',
  'variant.update': 'Variante alterada',
  'variant.delete': 'Variante excluída',
  'variant_type.create': 'Tipo de variação criado',
  'variant_type.update': 'Tipo de variação alterado',
  'variant_type.delete': 'Tipo de variação excluído',
  'variant_option.create': 'Opção de variação criada',
  'variant_option.update': 'Opção de variação alterada',
  'variant_option.delete': 'Opção de variação excluída',
  'category.create': 'Categoria criada',
  'category.update': 'Categoria alterada',
  'category.delete': 'Categoria excluída',
  'category_fiscal.update': 'Dados fiscais de categoria alterados',
  'media.upload': 'Imagem enviada',
  'stock.set': 'Estoque definido',
  'stock.sync': 'Estoque sincronizado',
  'order.place': 'Pedido feito',
  'order.update': 'Pedido alterado',
  'order.set_address': 'Endereço de pedido corrigido',
  'order.note': 'Nota em pedido',
  'order.export': 'Pedidos exportados',
  'order.payment': 'Pagamento registrado',
  'order.refund': 'Pagamento reembolsado',
  'return.open': 'Devolução aberta',
  'return.approve': 'Devolução aprovada',
  'return.reject': 'Devolução recusada',
  'return.in_transit': 'Postagem de devolução informada',
  'return.receive': 'Chegada de devolução registrada',
  'return.restock': 'Devolução reposta no estoque',
  'return.refund': 'Devolução reembolsada ou encerrada',
  'return.cancel': 'Devolução cancelada',
  'nfe.emit': 'NF-e emitida',
  'nfe.return': 'NF-e de devolução emitida',
  'nfe.correct': 'Carta de correção registrada',
  'nfe.cancel': 'NF-e cancelada',
  'nfe.disable_number': 'Número de NF-e inutilizado',
  'shipment.buy': 'Etiquetas compradas',
  'shipment.retry': 'Etiqueta tentada de novo',
  'shipment.cancel': 'Etiqueta cancelada',
  'melhor_envio.connect': 'Melhor Envio conectado',
  'melhor_envio.disconnect': 'Melhor Envio desconectado',
  'tariff.create': 'Tarifa criada',
  'tariff.update': 'Tarifa alterada',
  'tariff.delete': 'Tarifa excluída',
  'box.create': 'Caixa criada',
  'box.update': 'Caixa alterada',
  'box.delete': 'Caixa excluída',
  'coupon.create': 'Cupom criado',
  'coupon.update': 'Cupom alterado',
  'coupon.delete': 'Cupom excluído',
  'review.moderate': 'Avaliação moderada',
  'review.delete': 'Avaliação excluída',
  'customer.activate': 'Conta reativada',
  'customer.suspend': 'Conta suspensa',
  'customer.link': 'Conta de cliente vinculada',
  'customer.export': 'Dados de um cliente exportados',
  'customer.export_all': 'Planilha de clientes exportada',
  'customer.erase': 'Dados de cliente apagados',
  'settings.update': 'Configuração alterada',
  'webhook.create': 'Webhook criado',
  'webhook.update': 'Webhook alterado',
  'webhook.delete': 'Webhook excluído',
  'webhook.disable': 'Webhook desligado',
  'webhook.rotate_secret': 'Segredo de webhook trocado',
  'webhook.redeliver': 'Evento de webhook reenviado',
  'webhook.recover': 'Eventos de webhook recuperados',
  'mail.resend': 'E-mail reenviado',
  'api_key.create': 'Chave de API criada',
  'api_key.revoke': 'Chave de API revogada',
  'session.end': 'Sessão encerrada',
  'session.end_others': 'Outras sessões encerradas',
  'account.create_admin': 'Administrador criado',
  'account.change_password': 'Senha alterada',
  'account.change_email': 'E-mail de acesso alterado',
  'account.reset_password': 'Senha redefinida',
  'two_factor.enable': 'Duas etapas ativadas',
  'two_factor.disable': 'Duas etapas desativadas',
  'two_factor.reset': 'Duas etapas redefinidas',
  'two_factor.renew_recovery_codes': 'Códigos de recuperação renovados',
  'two_factor.use_recovery_code': 'Código de recuperação usado',
};

const auditAction = (action) => ACTIONS[action] ?? action;

/** What the log calls the fields of things, in Portuguese. */
/** @type {Record<string, string>} */
const FIELDS = {
  name: 'Nome',
  slug: 'Endereço da página',
  description: 'Descrição',
  price: 'Preço',
  comparePrice: 'Preço anterior',
  sku: 'SKU',
  weight: 'Peso',
  length: 'Comprimento',
  width: 'Largura',
  height: 'Altura',
  featured: 'Em destaque',
  active: 'Ativo',
  variantRequired: 'Só por variante',
  categoryId: 'Categoria',
  productId: 'Produto',
  variantId: 'Variante',
  images: 'Imagens',
  image: 'Imagem',
  options: 'Opções',
  value: 'Valor',
  stock: 'Estoque',
  reason: 'Motivo',
  updated: 'Itens informados',
  changed: 'Itens alterados',
  ncm: 'NCM',
  cest: 'CEST',
  gtin: 'GTIN',
  origin: 'Origem',
  csosn: 'CSOSN',
  unit: 'Unidade',
  production: 'Produção',
  cfopInState: 'CFOP no estado',
  cfopOutOfState: 'CFOP para outros estados',
  status: 'Situação',
  trackingCode: 'Código de rastreio',
  carrier: 'Transportadora',
  address: 'Endereço',
  orderNumber: 'Pedido',
  customerId: 'Cliente',
  paymentId: 'Pagamento',
  refundId: 'Reembolso',
  method: 'Meio de pagamento',
  amount: 'Valor',
  total: 'Total',
  protocol: 'Protocolo',
  kind: 'Tipo',
  type: 'Tipo',
  received: 'Unidades recebidas',
  restocked: 'Unidades repostas',
  numero: 'Número',
  serie: 'Série',
  justificativa: 'Justificativa',
  carta: 'Carta de correção',
  provider: 'Provedor',
  service: 'Serviço',
  parcels: 'Volumes',
  maxPrice: 'Preço máximo',
  states: 'Estados',
  estimatedDays: 'Prazo em dias úteis',
  innerLength: 'Comprimento interno',
  innerWidth: 'Largura interna',
  innerHeight: 'Altura interna',
  outerLength: 'Comprimento externo',
  outerWidth: 'Largura externa',
  outerHeight: 'Altura externa',
  tareWeight: 'Peso vazia',
  maxWeight: 'Peso máximo',
  code: 'Código',
  minOrderValue: 'Valor mínimo do pedido',
  maxUses: 'Limite de usos',
  usedCount: 'Usos',
  expiresAt: 'Válido até',
  rating: 'Nota',
  isActive: 'Conta ativa',
  role: 'Papel',
  url: 'Endereço',
  events: 'Eventos',
  disabledReason: 'Motivo do desligamento',
  since: 'Desde',
  scopes: 'Permissões',
  keyPrefix: 'Início da chave',
  ended: 'Sessões encerradas',
  contentType: 'Formato',
  bytes: 'Tamanho em bytes',
  id: 'Código interno',
  createdAt: 'Criado em',
  updatedAt: 'Alterado em',
};

/** Who did it, where that has no name any more. */
const ACTORS = { ADMIN: 'Equipe', KEY: 'Integração', SYSTEM: 'Sistema' };
const nameOf = ({ name, kind }) => name ?? ACTORS[kind];

/** The order, or else the rest of what was done to the same thing. */
const about = ({ action, resourceId: id }) =>
  action.startsWith('order.') && id !== 'orders'
    ? `/admin/orders/${id}`
    : `/admin/audit?resourceId=${encodeURIComponent(id)}`;

const FILTERS = [
  {
    name: 'action',
    label: 'Ação',
    options: Object.entries(ACTIONS),
  },
  { name: 'from', label: 'De' },
  { name: 'to', label: 'Até' },
];

export default function Audit() {
  const list = useList('/api/admin/audit', ['action', 'from', 'to', 'resourceId', 'actorId']);
  const [shown, setShown] = useState(/** @type {any} */ (null));
  const columns = [
    { head: 'Quando', cell: (row) => html`<${Time} at=${row.createdAt} full />` },
    { head: 'Quem', cell: (row) => nameOf(row.actor) },
    {
      head: 'O quê',
      cell: (row) =>
        html`<button type="button" class="link" onClick=${() => setShown(row)}>${auditAction(row.action)}</button>`,
    },
    {
      head: 'Sobre',
      cell: (row) =>
        html`<a class="small" href=${about(row)}>${row.after.name ?? row.before.name ?? row.after.code ?? row.resourceId}</a>`,
    },
  ];
  return html`<${Page} title="Auditoria">
    <${Filters} filters=${FILTERS} />
    <${List} list=${list} label="Auditoria" columns=${columns} empty=${html`<${Empty} title="Nada registrado ainda"><p class="muted">Cada alteração da equipe e das integrações fica registrada aqui.</p><//>`} />
    ${shown && html`<${Entry} entry=${shown} onClose=${() => setShown(null)} />`}
  <//>`;
}

const text = (value) =>
  value === undefined || value === null ? '–' : typeof value === 'object' ? JSON.stringify(value) : String(value);

/** @param {{ entry: AuditEntry, onClose: () => void }} props */
function Entry({ entry, onClose }) {
  const names = [...new Set([...Object.keys(entry.before), ...Object.keys(entry.after)])];
  const changed = names.filter((name) => text(entry.before[name]) !== text(entry.after[name]));
  return html`<${Dialog} title=${auditAction(entry.action)} wide onClose=${onClose}>
    <p class="muted">${nameOf(entry.actor)} · <${Time} at=${entry.createdAt} full /></p>
    ${
      changed.length === 0
        ? html`<p>Sem valores registrados.</p>`
        : html`<table class="conflict"><thead><tr><th scope="col">Campo</th><th scope="col">Antes</th><th scope="col">Depois</th></tr></thead>
        <tbody>${changed.map((name) => html`<tr key=${name}><th scope="row">${FIELDS[name] ?? name}</th><td>${text(entry.before[name])}</td><td>${text(entry.after[name])}</td></tr>`)}</tbody></table>`
    }
  <//>`;
}
