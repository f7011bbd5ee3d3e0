// Amounts, times and numbers of documents, as they are written in Brazil. Times are those of São Paulo.

const ZONE = 'America/Sao_Paulo';
const reais = new Intl.NumberFormat('pt-BR', { style: 'currency', currency: 'BRL' });
const day = new Intl.DateTimeFormat('pt-BR', { timeZone: ZONE, dateStyle: 'long' });
const short = new Intl.DateTimeFormat('pt-BR', { timeZone: ZONE, dateStyle: 'short', timeStyle: 'short' });
const sum = new Intl.NumberFormat('pt-BR', { maximumFractionDigits: 1 });

/** `R$ 1.234,56` */
export const money = (amount) => reais.format(amount);
export const date = (time) => day.format(new Date(time));
export const moment = (time) => short.format(new Date(time));
export const number = (value) => sum.format(value);
/** One thing or several: `plural(2, 'pedido', 'pedidos')`. */
export const plural = (count, one, many) => `${count} ${count === 1 ? one : many}`;
export const digits = (text) => (text ?? '').replace(/\D/g, '');

/** One of so many parts of an amount, the dearest of them. */
export const part = (amount, parts) => money(Math.ceil(Math.round(amount * 100) / parts) / 100);

/** Sums of amounts that are whole cents stay whole cents. */
export const cents = (amount) => Math.round(amount * 100) / 100;

/** `01001-000`, as far as it is typed. */
export const cep = (text) =>
  digits(text)
    .slice(0, 8)
    .replace(/^(\d{5})(\d)/, '$1-$2');

/** A CPF or a CNPJ, as far as it is typed. A CNPJ may have letters. */
export function taxNumber(text) {
  const plain = (text ?? '').replace(/[^\da-z]/gi, '').toUpperCase();
  if (plain.length <= 11 && /^\d*$/.test(plain))
    return plain
      .replace(/^(\d{3})(\d)/, '$1.$2')
      .replace(/\.(\d{3})(\d)/, '.$1.$2')
      .replace(/\.(\d{3})(\d)/, '.$1-$2');
  return plain
    .slice(0, 14)
    .replace(/^(.{2})(.)/, '$1.$2')
    .replace(/\.(.{3})(.)/, '.$1.$2')
    .replace(/(\..{3}\..{3})(.{1,4})(.*)$/, (_, a, b, c) => `${a}/${b}${c ? `-${c}` : ''}`);
}

/** What the check digits of a CPF (up to 11 times) or a CNPJ (up to 9 times) are made by. */
function checkDigit(text, most) {
  const weighted = [...text].reverse().map((char, at) => (char.charCodeAt(0) - 48) * (2 + (at % (most - 1))));
  const rest = weighted.reduce((all, one) => all + one, 0) % 11;
  return String(rest < 2 ? 0 : 11 - rest);
}

/** Whether it is a CPF or a CNPJ. */
export function isTaxNumber(text) {
  const plain = text.replace(/[^\da-z]/gi, '').toUpperCase();
  const most = { 11: 11, 14: 9 }[plain.length];
  return Boolean(
    most && new Set(plain).size > 1 && [2, 1].every((end) => checkDigit(plain.slice(0, -end), most) === plain.at(-end)),
  );
}

/** A phone, as far as it is typed: `(11) 98765-4321`. The country's number (`+55`) goes once the area follows
 * it, and the zero before the area. Without a plus, 55 may be an area: then a whole number says which it is. */
export function phone(text) {
  const [all, hasPlus] = [digits(text), /^\D*\+/.test(text ?? '')];
  if (hasPlus && '55'.startsWith(all)) return `+${all}`;
  const plain = all
    .replace(hasPlus ? /^55/ : /^55(?=\d{11}$)/, '')
    .replace(/^0/, '')
    .slice(0, !hasPlus && /^55\d{10}$/.test(all) ? 12 : 11);
  return plain.replace(/^(\d{2})(\d)/, '($1) $2').replace(plain.length > 10 ? /(\d{5})(\d)/ : /(\d{4})(\d)/, '$1-$2');
}

export const STATES = 'AC AL AP AM BA CE DF ES GO MA MT MS MG PA PB PR PE PI RJ RN RS RO RR SC SP SE TO'.split(' ');

/** @type {Record<string, string>} */
export const STATUS = {
  PENDING: 'Aguardando pagamento',
  PROCESSING: 'Em preparação',
  SHIPPED: 'Enviado',
  DELIVERED: 'Entregue',
  CANCELLED: 'Cancelado',
  REFUNDED: 'Reembolsado',
};
