// Places of secrets in the arguments of methods, in the form that a reader of bytes needs. declare/secret-places.ts
// collects them from the declarations.
import { bufferOf } from './json-walker.js';

/**
 * Kind of a string in a request: a passphrase, a private key in WIF, or a descriptor (or its replacement) that may
 * contain private keys.
 */
export type SecretKind = 'passphrase' | 'key' | 'descriptor';

/** Where secrets are in a value: in its text, in the elements of a list, or in the members of an object. */
export interface SecretPlace {
  readonly text?: SecretKind;
  readonly elements?: SecretPlace;
  readonly members?: ReadonlyMap<string, SecretPlace>;
}

/** Arguments of a method that contain secrets. */
export interface MethodSecrets {
  /** Places of secrets by position of the argument. */
  readonly args: ReadonlyMap<number, SecretPlace>;
  /** Positions of arguments by name. */
  readonly names: ReadonlyMap<string, number>;
  /**
   * Names of members at least one of which occurs in every request with secrets; null if there are requests without
   * them.
   */
  readonly hints: readonly string[] | null;
}

/** Arguments with secrets, by method. */
export type SecretPlaces = ReadonlyMap<string, MethodSecrets>;

const QUOTE = 0x22;
/** Bytes that may occur between the name of a member and its value. */
const BETWEEN: ReadonlySet<number> = new Set(Buffer.from(': \t\r\n'));
const METHOD = Buffer.from('"method"');
/** Longest name of a method. */
const MAX_NAME = 32;

/**
 * Finds methods that take secrets by a quick scan of a body. Yields once per place where a method may be named: the
 * name of such a method, or null. The caller can pause between the steps.
 */
export function* secretMethods(body: Uint8Array, places: SecretPlaces): Generator<string | null> {
  const buffer = bufferOf(body);
  const seen: string[] = [];
  // A match may also be the text of another member, so check all of them.
  for (let at = buffer.indexOf(METHOD); at >= 0; at = buffer.indexOf(METHOD, at + 1)) yield secretMethodAt(buffer, at, places, seen);
}

/**
 * Returns the first method that takes secrets in a small body; null if there is none. It does not use the generator,
 * which takes twice as long for a small call.
 */
export function secretMethodIn(body: Uint8Array, places: SecretPlaces): string | null {
  const buffer = bufferOf(body);
  const seen: string[] = [];
  for (let at = buffer.indexOf(METHOD); at >= 0; at = buffer.indexOf(METHOD, at + 1)) {
    const name = secretMethodAt(buffer, at, places, seen);
    if (name !== null) return name;
  }
  return null;
}

/** @param seen methods that were checked; each is checked once, because a body may repeat one endlessly */
function secretMethodAt(buffer: Buffer, at: number, places: SecretPlaces, seen: string[]): string | null {
  const name = methodAt(buffer, at + METHOD.length);
  const wanted = places.get(name);
  if (wanted === undefined || seen.includes(name)) return null;
  seen.push(name);
  // A secret inside an object has the name of its member before it. If no such name occurs, there is no secret: many
  // requests of importmulti contain no keys.
  return wanted.hints === null || wanted.hints.some((hint) => buffer.includes(`"${hint}"`)) ? name : null;
}

/**
 * Returns the first method that is named in a part of a body, by a quick scan; empty if there is none. Only the name
 * becomes text.
 */
export function firstMethodIn(body: Uint8Array, from: number, to: number): string {
  const part = bufferOf(body).subarray(from, to);
  for (let at = part.indexOf(METHOD); at >= 0; at = part.indexOf(METHOD, at + 1)) {
    const name = methodAt(part, at + METHOD.length);
    if (name !== '') return name;
  }
  return '';
}

/** Returns the name of the method at an offset; empty if there is no short string. */
function methodAt(body: Buffer, start: number): string {
  let from = start;
  while (BETWEEN.has(body[from])) from++;
  if (body[from++] !== QUOTE) return '';
  let to = from;
  while (body[to] !== QUOTE && to - from < MAX_NAME) to++;
  return body[to] === QUOTE ? body.toString('latin1', from, to) : '';
}
