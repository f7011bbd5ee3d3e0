// What the API's words are called in Portuguese, and how serious they are.

/** @type {Record<string, Label>} */
export const orderStatus = {
  PENDING: ['Aguardando pagamento', 'warn'],
  PROCESSING: ['A enviar', 'info'],
  SHIPPED: ['Enviado', 'info'],
  DELIVERED: ['Entregue', 'good'],
  CANCELLED: ['Cancelado', ''],
  REFUNDED: ['Reembolsado', ''],
};

/** @type {Record<string, Label>} */
export const paymentStatus = {
  PENDING: ['Pendente', 'warn'],
  PAID: ['Pago', 'good'],
  FAILED: ['Recusado', 'bad'],
  EXPIRED: ['Expirado', ''],
  CANCELLED: ['Cancelado', ''],
  REFUNDED: ['Reembolsado', ''],
  CHARGED_BACK: ['Contestado', 'bad'],
  REVIEW: ['Em análise', 'warn'],
};

/** @type {Record<string, string>} */
export const paymentMethod = {
  PIX: 'PIX',
  CREDIT_CARD: 'Cartão de crédito',
  PAYMENT_INTENT: 'Pagamento on-line',
  CASH: 'Dinheiro',
  TRANSFER: 'Transferência',
  OTHER: 'Outro',
};

/** @type {Record<string, Label>} */
export const refundStatus = {
  PENDING: ['Em andamento', 'warn'],
  DONE: ['Concluído', 'good'],
  FAILED: ['Falhou', 'bad'],
};

/** @type {Record<string, Label>} */
export const invoiceStatus = {
  pendente: ['Pendente', 'warn'],
  processando: ['Em processamento', 'warn'],
  autorizada: ['Autorizada', 'good'],
  rejeitada: ['Rejeitada', 'bad'],
  denegada: ['Denegada', 'bad'],
  cancelada: ['Cancelada', ''],
  inutilizada: ['Inutilizada', ''],
  ocupada: ['Número já usado', 'warn'],
};

/** @type {Record<string, Label>} */
export const reviewStatus = {
  pending: ['Aguardando', 'warn'],
  approved: ['Publicada', 'good'],
  rejected: ['Rejeitada', ''],
};

/** @type {Record<string, string>} */
export const stockReason = { PURCHASE: 'Venda', ADJUSTMENT: 'Ajuste', RETURN: 'Devolução' };

/** @type {[string, string][]} */
export const scopes = [
  ['products:read', 'Ler produtos'],
  ['products:write', 'Alterar produtos'],
  ['stock:write', 'Alterar estoque'],
  ['orders:read', 'Ler pedidos'],
  ['orders:write', 'Alterar pedidos'],
];

/** @type {[string, string][]} */
export const events = [
  ['order.created', 'Pedido criado'],
  ['order.paid', 'Pedido pago'],
  ['order.status_changed', 'Status do pedido alterado'],
  ['order.shipped', 'Pedido enviado'],
  ['stock.low', 'Estoque baixo'],
  ['stock.updated', 'Estoque alterado'],
  ['customer.created', 'Cliente cadastrado'],
];

/** @type {Record<string, string>} */
const things = {
  product: 'produto', variant: 'variante', variant_type: 'tipo de variação', variant_option: 'opção de variação',
  order: 'pedido', coupon: 'cupom', category: 'categoria', customer: 'cliente', account: 'conta', review: 'avaliação',
  api_key: 'chave de API', settings: 'configuração', tariff: 'tarifa', stock: 'estoque', nfe: 'NF-e', payment: 'pagamento',
};

/** @type {Record<string, string>} */
const deeds = {
  create: 'criar', update: 'alterar', delete: 'excluir', activate: 'ativar', suspend: 'suspender', moderate: 'moderar',
  revoke: 'revogar', set: 'definir', refund: 'reembolsar', record: 'registrar', emit: 'emitir', cancel: 'cancelar',
  disable: 'inutilizar', export: 'exportar', import: 'importar', recover: 'recuperar', test: 'testar',
};

/** "product.update" as "produto: alterar". */
export function auditAction(action) {
  const [thing = '', ...deed] = action.split('.');
  const rest = deed.join('.');
  return `${things[thing] ?? thing}: ${deeds[rest] ?? rest.replaceAll('_', ' ')}`;
}

export const states = 'AC AL AM AP BA CE DF ES GO MA MG MS MT PA PB PE PI PR RJ RN RO RR RS SC SE SP TO'.split(' ');

/** The options of a filter. @param {Record<string, Label>} labels
 * @returns {[string, string][]} */
export const choices = (labels) => Object.entries(labels).map(([value, [text]]) => [value, text]);
