// Amounts, numbers and times, as Brazilian shops write them. Times are those of São Paulo.

import { html } from './html.js';

const ZONE = 'America/Sao_Paulo';
const reais = new Intl.NumberFormat('pt-BR', { style: 'currency', currency: 'BRL' });
const plain = new Intl.NumberFormat('pt-BR');
const day = new Intl.DateTimeFormat('pt-BR', { timeZone: ZONE, dateStyle: 'short' });
const exact = new Intl.DateTimeFormat('pt-BR', { timeZone: ZONE, dateStyle: 'long', timeStyle: 'medium' });
const short = new Intl.DateTimeFormat('pt-BR', {
  timeZone: ZONE,
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
});
const relative = new Intl.RelativeTimeFormat('pt-BR', { numeric: 'auto' });
const iso = new Intl.DateTimeFormat('sv-SE', { timeZone: ZONE });

/** `R$ 1.234,56` */
export const money = (amount) => (amount === null || amount === undefined ? '–' : reais.format(amount));
export const count = (number) => plain.format(number);
export const date = (time) => day.format(new Date(time));
export const moment = (time) => exact.format(new Date(time));
/** The local day, `2026-11-22`. */
export const localDay = (time = new Date()) => iso.format(time);

/** The last moment before an end, which says until which day something holds. */
export const before = (end) => new Date(new Date(end).getTime() - 1);

/** An amount as it is typed: `1.234,56`, `1234,5`, `1234.56`; null where nothing stands, NaN where it is no amount. */
export function parseMoney(text) {
  const trimmed = text.replace(/R\$|\s/g, '');
  if (!trimmed) return null;
  const normal = trimmed.includes(',') ? trimmed.replace(/\./g, '').replace(',', '.') : trimmed;
  return /^\d+(\.\d{1,2})?$/.test(normal) ? Number(normal) : NaN;
}

/** Digits with or without dots between groups of three: `1.000`, and `1000`. */
const WHOLE = /^-?(\d+|[1-9]\d{0,2}(\.\d{3})+)$/;

/** A whole number as it is typed: `1000`, `1.000`; null where nothing stands, NaN where it is none. */
export function parseWhole(text) {
  const trimmed = text.trim();
  if (!trimmed) return null;
  return WHOLE.test(trimmed) ? Number(trimmed.replace(/\./g, '')) : NaN;
}

/** A number as it is typed: `1234,5`, `0,35`, `0.35`; null where nothing stands, NaN where it is none, as
 * with `1.000`, which some write for a thousand and others for one. */
export function parseNumber(text) {
  const trimmed = text.trim();
  if (!trimmed) return null;
  return /^-?(\d+(,\d+)?|0\.\d+|\d+\.\d\d?)$/.test(trimmed) ? Number(trimmed.replace(',', '.')) : NaN;
}

/** An amount to be typed over: `1234,56`. */
export const typedMoney = (amount) =>
  amount === null || amount === undefined ? '' : amount.toFixed(2).replace('.', ',');

/** @type {[Intl.RelativeTimeFormatUnit, number][]} */
const UNITS = [
  ['minute', 60],
  ['hour', 3600],
  ['day', 86400],
];

/** "há 3 horas", and the date for what is longer ago. */
export function ago(time) {
  const seconds = (new Date(time).getTime() - Date.now()) / 1000;
  if (Math.abs(seconds) < 45) return 'agora';
  if (Math.abs(seconds) > 7 * 86400) return date(time);
  const fits = UNITS.filter(([, length]) => Math.abs(seconds) >= length);
  const [unit, length] = fits.at(-1) ?? ['minute', 60];
  if (unit !== 'day') return relative.format(Math.round(seconds / length), unit);
  // "Ontem" is a day of the calendar.
  return relative.format((Date.parse(localDay(new Date(time))) - Date.parse(localDay())) / 86_400_000, unit);
}

/** A relative time, with the exact one on hover. @param {{ at: string | null | undefined, full?: boolean }} props */
export function Time({ at, full }) {
  if (!at) return html`<span class="muted">–</span>`;
  return html`<time datetime=${at} title=${moment(at)}>${full ? short.format(new Date(at)) : ago(at)}</time>`;
}

export const cpf = (cpf) => (cpf?.length === 11 ? cpf.replace(/(\d{3})(\d{3})(\d{3})(\d{2})/, '$1.$2.$3-$4') : cpf);
export const cep = (cep) => cep.replace(/^(\d{5})(\d{3})$/, '$1-$2');
/** One thing or several: `plural(2, 'pedido', 'pedidos')`. */
export const plural = (number, one, many) => `${count(number)} ${number === 1 ? one : many}`;
