// What the API's words are called in Portuguese, and how serious they are.

import { money } from './format.js';

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

/** What a mail tells.
 * @type {Record<string, string>} */
export const mailKind = {
  'order-placed': 'Pedido recebido',
  'payment-received': 'Pagamento confirmado',
  'order-shipped': 'Pedido enviado',
  'parcel-posted': 'Mais um volume enviado',
  'order-delivered': 'Pedido entregue',
  'order-cancelled': 'Pedido cancelado',
  'order-marked-refunded': 'Pedido reembolsado',
  'money-refunded': 'Valor devolvido',
  welcome: 'Boas-vindas',
  'password-reset': 'Redefinir a senha',
  'password-changed': 'Senha alterada',
  'email-changed': 'E-mail alterado',
  'newsletter-welcome': 'Inscrição na newsletter',
  'return-requested': 'Devolução registrada',
  'return-approved': 'Devolução aprovada',
  'return-in-transit': 'Devolução a caminho',
  'return-received': 'Devolução recebida',
  'return-rejected': 'Devolução recusada',
  'return-cancelled': 'Devolução cancelada',
  'return-closed': 'Devolução encerrada',
  'two-factor-enabled': 'Verificação em duas etapas ativada',
  'two-factor-disabled': 'Verificação em duas etapas desativada',
  'two-factor-reset': 'Verificação em duas etapas redefinida',
  'webhook-disabled': 'Webhook desligado',
  contact: 'Mensagem de contato',
  digest: 'Resumo do dia',
};

/** @type {Record<string, Label>} */
export const mailState = {
  WAITING: ['Na fila', ''],
  SENT: ['Enviado', 'good'],
  FAILING: ['Falhando', 'warn'],
  GIVEN_UP: ['Desistiu', 'bad'],
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
export const returnStatus = {
  REQUESTED: ['A decidir', 'warn'],
  APPROVED: ['Aprovada', 'info'],
  IN_TRANSIT: ['A caminho', 'info'],
  RECEIVED: ['Recebida', 'warn'],
  REFUNDED: ['Reembolsada', 'good'],
  REJECTED: ['Recusada', ''],
  CANCELLED: ['Cancelada', ''],
};

/** What the states of this return are called: one that was closed without money was not refunded.
 * @param {{ refund: { amount: number | null } }} of
 * @returns {Record<string, Label>} */
export const returnStatusOf = ({ refund }) =>
  refund.amount ? returnStatus : { ...returnStatus, REFUNDED: ['Concluída', 'good'] };

/** @type {Record<string, string>} */
export const returnKind = { WITHDRAWAL: 'Desistência', DEFECT: 'Defeito' };

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
  ['order.delivered', 'Pedido entregue'],
  ['shipment.updated', 'Envio atualizado'],
  ['order.refunded', 'Dinheiro de um pedido devolvido'],
  ['return.requested', 'Devolução pedida'],
  ['return.received', 'Devolução recebida'],
  ['return.refunded', 'Devolução reembolsada'],
  ['stock.low', 'Estoque baixo'],
  ['stock.updated', 'Estoque alterado'],
  ['customer.created', 'Cliente cadastrado'],
];

/** The fields of an address. @type {Record<string, string>} */
export const addressFields = {
  zipCode: 'CEP',
  street: 'Rua',
  number: 'Número',
  complement: 'Complemento',
  district: 'Bairro',
  city: 'Cidade',
  state: 'Estado',
};

/** What fields are parts of. @type {Record<string, string>} */
const WHOLES = { address: 'endereço', company: 'empresa', items: 'item', parcels: 'volume' };

/** A field that no form on the screen shows, by the API's name: `items[0].name` is "name (item 1)".
 * @param {string} path */
export function fieldName(path) {
  const names = path.split('.');
  const name = names.pop() ?? '';
  const wholes = names.map((one) => {
    const [whole = '', at] = one.split(/[[\]]/);
    return `${WHOLES[whole] ?? whole}${at ? ` ${Number(at) + 1}` : ''}`;
  });
  return `${addressFields[name] ?? name}${wholes.length ? ` (${wholes.join(', ')})` : ''}`;
}

export const states = 'AC AL AM AP BA CE DF ES GO MA MG MS MT PA PB PE PI PR RJ RN RO RR RS SC SE SP TO'.split(' ');

/** The options of a filter. @param {Record<string, Label>} labels
 * @returns {[string, string][]} */
export const choices = (labels) => Object.entries(labels).map(([value, [text]]) => [value, text]);

/** What is wrong with a parcel. @type {Record<string, string>} */
export const parcelTrouble = {
  LABEL: 'Etiqueta parada',
  NO_LABEL: 'Sem etiqueta: peça outra',
  NOT_POSTED: 'Etiqueta pronta, pacote não postado',
  ORDER_CLOSED: 'Pedido encerrado, etiqueta sem uso: cancele-a',
  LATE: 'Atrasado',
  RETURNING: 'Voltando para a loja',
};

/** What keeps a label from being bought. @type {Record<string, string>} */
export const shipmentProblem = {
  NO_ANSWER: 'Sem resposta; tentamos de novo',
  PRICE_ABOVE_QUOTE: 'Acima do preço permitido',
  INSUFFICIENT_BALANCE: 'Falta saldo',
  NOT_CONNECTED: 'Conta desconectada',
  REFUSED: 'Recusada',
  MISSING_DATA: 'Faltam dados',
  TOO_LATE: 'Tarde demais: o volume já foi postado',
  GONE: 'Sumiu do provedor',
  ORDER_CLOSED: 'Pedido encerrado',
  OTHER_PROVIDER: 'De outro provedor',
};

/** What keeps a label from going on, with the amounts and the words that are known.
 * @param {{ kind: string, text: string | null, price: number | null, limit: number | null }} problem
 */
export function problemOf({ kind, text, price, limit }) {
  const name = shipmentProblem[kind] ?? kind;
  if (price !== null && kind === 'INSUFFICIENT_BALANCE')
    return `${name}: a etiqueta custa ${money(price)}${limit === null ? '' : ` e o saldo é de ${money(limit)}`}.`;
  if (price !== null && limit !== null) return `${name}: ${money(price)}, e o limite é de ${money(limit)}.`;
  return text ? `${name}: ${text}` : name;
}

/** How far a label has come. @type {Record<string, Label>} */
export const shipmentStatus = {
  DRAFT: ['Comprando', 'info'],
  IN_CART: ['No carrinho', 'warn'],
  PAYING: ['Pagando', 'warn'],
  PAID: ['Paga, sendo gerada', 'info'],
  GENERATED: ['Etiqueta pronta', 'info'],
  POSTED: ['Postado', 'info'],
  RETURNING: ['Voltando', 'bad'],
  DELIVERED: ['Entregue', 'good'],
  CANCELLING: ['Cancelando', 'warn'],
  CANCELLED: ['Cancelada', ''],
  EXPIRED: ['Vencida', ''],
  FAILED: ['Recusada', 'bad'],
};
