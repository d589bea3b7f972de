// Reads one line of a miner. Lenient in types, because firmware differs: an id may be a number or a text, params may be
// missing.
import { latin1Json, textOf } from './text.js';

/** A line of a miner. */
export type Line =
  /** `id` is the JSON text of the id, to be echoed; null if the id is missing or null, and then there is no reply. */
  | { readonly kind: 'request'; readonly id: string | null; readonly method: string; readonly params: readonly unknown[] }
  /** A JSON object without a method, such as the reply to a request of the server. */
  | { readonly kind: 'no-request' }
  | { readonly kind: 'empty' }
  | { readonly kind: 'garbage' };

/** Parses one line. @param bytes without the end of the line */
export function readLine(bytes: Uint8Array): Line {
  const text = textOf(bytes);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { kind: text.trim() === '' ? 'empty' : 'garbage' };
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return { kind: 'garbage' };
  const { id, method, params } = value as { readonly id?: unknown; readonly method?: unknown; readonly params?: unknown };
  if (typeof method !== 'string') return { kind: 'no-request' };
  return { kind: 'request', id: idText(id, text), method, params: Array.isArray(params) ? params : [] };
}

/** Returns the JSON text of an id. Numbers that a double cannot represent exactly are copied from the line. */
function idText(id: unknown, line: string): string | null {
  if (typeof id === 'string') return latin1Json(id);
  if (typeof id !== 'number') return null;
  if (Number.isSafeInteger(id)) return String(id);
  return /"id"\s{0,8}:\s{0,8}(-?[0-9][0-9.eE+-]{0,63})/.exec(line)?.[1] ?? (Number.isFinite(id) ? JSON.stringify(id) : null);
}

/** Returns a parameter that is a string; null for any other. */
export function textAt(params: readonly unknown[], index: number): string | null {
  const value = params[index];
  return typeof value === 'string' ? value : null;
}

/** Returns a parameter that is a number, or a decimal string (cpuminer-opt sends these); null for any other. */
export function numberAt(params: readonly unknown[], index: number): number | null {
  return numberOf(params[index]);
}

/** Returns a finite number from a number or a decimal string; null for anything else. */
export function numberOf(value: unknown): number | null {
  const number = typeof value === 'string' && value.length <= 64 && /^[0-9.eE+-]+$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : null;
}

/** Returns the name of a foreign protocol (TLS, HTTP), by the first byte of a line; null if the line may be JSON. */
export function foreignProtocol(byte: number): string | null {
  // "{", white space
  if (byte === 0x7b || byte === 0x0a || byte === 0x0d || byte === 0x20 || byte === 0x09) return null;
  if (byte === 0x16) return 'a TLS handshake on the plain port';
  const http = byte === 0x47 || byte === 0x48 || byte === 0x50;
  return http ? 'an HTTP request' : 'no JSON';
}
