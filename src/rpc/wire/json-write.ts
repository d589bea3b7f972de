// Writes JSON as Core's univalue does: compact, members in order, short escapes, other control characters and DEL as
// \u00xx, everything else as raw UTF-8. Amounts have eight decimals; doubles are formatted like C's %.16g.
import { PendingRead } from '../reads/read-job.js';
import { Amount, Double, JsonNumber, JsonObject, type JsonResult, RawBytes, RawJson } from './values.js';

const NEEDS_ESCAPE = /["\\\u0000-\u001f\u007f]/;
const ESCAPES = /["\\\u0000-\u001f\u007f]/g;
const SHORT: Record<string, string> = {
  '"': '\\"',
  '\\': '\\\\',
  '\b': '\\b',
  '\t': '\\t',
  '\n': '\\n',
  '\f': '\\f',
  '\r': '\\r',
};
const escapeOne = (c: string) => SHORT[c] ?? `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** Encodes a string, with quotes. */
export function encodeString(text: string): string {
  return NEEDS_ESCAPE.test(text) ? `"${text.replace(ESCAPES, escapeOne)}"` : `"${text}"`;
}

/**
 * Formats a double like C's %.16g: sixteen significant digits without trailing zeros, and an exponent with at least two
 * digits below 1e-4 and from 1e16.
 */
export function formatDouble(value: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'nan' : value < 0 ? '-inf' : 'inf';
  if (value === 0) return Object.is(value, -0) ? '-0' : '0';
  const [mantissa = '', power = ''] = value.toExponential(15).split('e');
  const exponent = Number(power);
  if (exponent >= -4 && exponent < 16) {
    const fixed = value.toFixed(Math.min(100, Math.max(0, 15 - exponent)));
    return fixed.includes('.') ? fixed.replace(/\.?0+$/, '') : fixed;
  }
  const digits = mantissa.includes('.') ? mantissa.replace(/\.?0+$/, '') : mantissa;
  return `${digits}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`;
}

/** Formats satoshis as BTC with eight decimals. */
export function formatAmount(sats: number | bigint): string {
  const negative = sats < 0;
  const digits = String(negative ? -sats : sats).padStart(9, '0');
  return `${negative ? '-' : ''}${digits.slice(0, -8)}.${digits.slice(-8)}`;
}

// Cache of encoded member names: replies have few different ones. Limited, because names may also come from requests.
const MOST_NAMES = 2048;
const names = new Map<string, string>();

/** Encodes a member's name: `"name":` */
function encodeName(name: string): string {
  const known = names.get(name);
  if (known !== undefined) return known;
  const text = `${encodeString(name)}:`;
  if (names.size < MOST_NAMES && name.length < 64) names.set(name, text);
  return text;
}

export function encodeJson(value: JsonResult): string {
  if (value === null) return 'null';
  switch (typeof value) {
    case 'string':
      return encodeString(value);
    case 'number':
      return Number.isSafeInteger(value) ? String(value === 0 ? 0 : value) : formatDouble(value);
    case 'boolean':
      return value ? 'true' : 'false';
    case 'bigint':
      return value.toString();
    default:
      return encodeObject(value);
  }
}

function encodeObject(value: Exclude<JsonResult, null | string | number | boolean | bigint>): string {
  if (Array.isArray(value)) return encodeArray(value);
  if (value instanceof RawJson || value instanceof JsonNumber || value instanceof RawBytes) return value.text;
  if (value instanceof Amount) return formatAmount(value.sats);
  if (value instanceof Double) return formatDouble(value.value);
  // A pending read is always a whole result.
  if (value instanceof PendingRead) throw new TypeError('a pending read inside a result');
  let text = '{';
  if (value instanceof JsonObject) {
    for (let i = 0; i < value.keys.length; i++) {
      text += `${i ? ',' : ''}${encodeString(value.keys[i]!)}:${encodeJson(value.values[i]!)}`;
    }
    return `${text}}`;
  }
  for (const key of Object.keys(value)) {
    const member = (value as Record<string, JsonResult | undefined>)[key];
    if (member === undefined) continue;
    if (text.length > 1) text += ',';
    text += encodeName(key) + encodeJson(member);
  }
  return `${text}}`;
}

function encodeArray(items: readonly JsonResult[]): string {
  if (items.length === 0) return '[]';
  let text = `[${encodeJson(items[0]!)}`;
  for (let i = 1; i < items.length; i++) text += `,${encodeJson(items[i]!)}`;
  return `${text}]`;
}
