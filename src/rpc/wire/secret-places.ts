// Where methods take secrets, as a reader of bytes needs to know it; gathered from the declarations in
// declare/secret-places.ts.
import { bufferOf } from './json-walker.js';

/**
 * What a text in a request holds: a passphrase, a private key in WIF, or a descriptor (or what is given instead of
 * one), in which private keys may stand.
 */
export type SecretKind = 'passphrase' | 'key' | 'descriptor';

/** What to look for in a value: in its text, in the elements of a list, in the members of an object. */
export interface SecretPlace {
  readonly text?: SecretKind;
  readonly elements?: SecretPlace;
  readonly members?: ReadonlyMap<string, SecretPlace>;
}

/** The arguments of a method that hold secrets. */
export interface MethodSecrets {
  /** By position. */
  readonly args: ReadonlyMap<number, SecretPlace>;
  /** Positions by name. */
  readonly names: ReadonlyMap<string, number>;
  /** Names of members of which one at least stands in a request with secrets; null when there may be none. */
  readonly hints: readonly string[] | null;
}

/** By method. */
export type SecretPlaces = ReadonlyMap<string, MethodSecrets>;

const QUOTE = 0x22;
/** What may stand between the name of a member and its text. */
const BETWEEN: ReadonlySet<number> = new Set(Buffer.from(': \t\r\n'));
const METHOD = Buffer.from('"method"');
/** No method has a longer name. */
const MAX_NAME = 32;

/**
 * The methods that a body names and that take secrets, as far as a quick look tells: null where there is none yet.
 * One step per place where a method may be named, for callers that have to pause in between.
 */
export function* secretMethods(body: Uint8Array, places: SecretPlaces): Generator<string | null> {
  const buffer = bufferOf(body);
  const seen: string[] = [];
  // The first may be the text of another member.
  for (let at = buffer.indexOf(METHOD); at >= 0; at = buffer.indexOf(METHOD, at + 1)) yield secretMethodAt(buffer, at, places, seen);
}

/** The first of them in a small body, null for none. Not by the generator, which costs a small call twice as much. */
export function secretMethodIn(body: Uint8Array, places: SecretPlaces): string | null {
  const buffer = bufferOf(body);
  const seen: string[] = [];
  for (let at = buffer.indexOf(METHOD); at >= 0; at = buffer.indexOf(METHOD, at + 1)) {
    const name = secretMethodAt(buffer, at, places, seen);
    if (name !== null) return name;
  }
  return null;
}

/** @param seen methods that were looked at, each once: a body may repeat one without end */
function secretMethodAt(buffer: Buffer, at: number, places: SecretPlaces, seen: string[]): string | null {
  const name = methodAt(buffer, at + METHOD.length);
  const wanted = places.get(name);
  if (wanted === undefined || seen.includes(name)) return null;
  seen.push(name);
  // What stands deep inside has its member's name before it: many requests of importmulti hold no keys.
  return wanted.hints === null || wanted.hints.some((hint) => buffer.includes(`"${hint}"`)) ? name : null;
}

/**
 * The first method that is named within a part of a body, as far as a quick look tells; empty for none. No more than
 * the name is made text of.
 */
export function firstMethodIn(body: Uint8Array, from: number, to: number): string {
  const part = bufferOf(body).subarray(from, to);
  for (let at = part.indexOf(METHOD); at >= 0; at = part.indexOf(METHOD, at + 1)) {
    const name = methodAt(part, at + METHOD.length);
    if (name !== '') return name;
  }
  return '';
}

/** The method that is named from a place on, if that is a short text. */
function methodAt(body: Buffer, start: number): string {
  let from = start;
  while (BETWEEN.has(body[from])) from++;
  if (body[from++] !== QUOTE) return '';
  let to = from;
  while (body[to] !== QUOTE && to - from < MAX_NAME) to++;
  return body[to] === QUOTE ? body.toString('latin1', from, to) : '';
}
