// Takes private keys in WIF out of a request before it is parsed, like secret-params.ts does with passphrases: strings of JavaScript cannot be
// overwritten, bytes can. In the body a token of no value is left in a key's place, which the method gives back for the key
// (rpc/node/private-key.ts). Single requests only, and only strings that look like a key; all others are the parser's, and so are descriptors.
import { isBase58Digit } from '../../address/base58.js';
import { bufferOf, type Range, readEnvelope, Unread, Walker } from './secret-params.js';

/** Where an argument of a method holds keys: position, names, then members and elements ("*") down to the text. */
export interface KeyPlace {
  readonly at: number;
  readonly names: readonly string[];
  readonly path: readonly string[];
}
export type KeyPlaces = ReadonlyMap<string, readonly KeyPlace[]>;

/** Reading a longer body twice would hold the thread up for more than 10 ms. */
const MAX_BODY_BYTES = 1 << 20;
const QUOTE = 0x22;
const SPACE = 0x20;
/** What may stand between the name of a member and its text. */
const BETWEEN: ReadonlySet<number> = new Set(Buffer.from(': \t\r\n'));
const METHOD = Buffer.from('"method"');
/** The longest name of a method that takes keys. */
const MAX_NAME = 32;
/** Characters of a key, without and with the mark of a compressed public key. */
const LENGTHS: ReadonlySet<number> = new Set([51, 52]);

/** The method with keys that a body names, as far as a quick look tells; null for none. */
export function keyMethodIn(body: Uint8Array, places: KeyPlaces): string | null {
  if (body.length > MAX_BODY_BYTES) return null;
  const buffer = bufferOf(body);
  // Each name once: a body may repeat one without end.
  const seen = new Set<string>();
  // The first may be the text of another member.
  for (let at = buffer.indexOf(METHOD); at >= 0; at = buffer.indexOf(METHOD, at + 1)) {
    const name = methodAt(buffer, at + METHOD.length);
    if (name === null || seen.has(name)) continue;
    const wanted = places.get(name);
    if (wanted === undefined) continue;
    seen.add(name);
    // What stands deep inside has its member's name before it: most requests of importmulti hold no keys.
    const members = wanted.map(({ path }) => path.findLast((step) => step !== '*'));
    if (members.some((member) => member === undefined || buffer.includes(`"${member}"`))) return name;
  }
  return null;
}

/** The method that is named from a place on, if that is a short text. */
function methodAt(body: Buffer, start: number): string | null {
  let from = start;
  while (BETWEEN.has(body[from])) from++;
  if (body[from++] !== QUOTE) return null;
  let to = from;
  while (body[to] !== QUOTE && to - from < MAX_NAME) to++;
  return body.toString('latin1', from, to);
}

function looksLikeKey(body: Uint8Array, { from, to }: Range): boolean {
  if (!LENGTHS.has(to - from)) return false;
  for (let at = from; at < to; at++) if (!isBase58Digit(body[at])) return false;
  return true;
}

/** Where the keys of a single request stand. @throws Unread */
function rangesOf(body: Uint8Array, places: KeyPlaces): Range[] {
  const walker = new Walker(body);
  const { method, params } = readEnvelope(walker);
  const wanted = places.get(method);
  const found: Range[] = [];
  if (wanted === undefined || params < 0) return found;
  const take = (path: readonly string[] | undefined): void => {
    const kind = walker.next();
    const [step, ...rest] = path ?? [];
    if (path !== undefined && step === undefined && kind === QUOTE) {
      const range = walker.string();
      if (looksLikeKey(body, range)) found.push(range);
    } else if (step === '*' && kind === 0x5b) walker.elements(() => take(rest));
    else if (step !== undefined && step !== '*' && kind === 0x7b) walker.members((key) => take(key === step ? rest : undefined));
    else walker.value();
  };
  walker.at = params;
  const kind = walker.next();
  if (kind === 0x5b) walker.elements((index) => take(wanted.find(({ at }) => at === index)?.path));
  else if (kind === 0x7b) walker.members((key) => take(wanted.find(({ names }) => names.includes(key))?.path));
  return found;
}

/**
 * Moves the private keys of a single request out of its body.
 * @returns their text as ASCII by the token that stands for it now; the caller wipes them
 */
export function takeKeys(body: Uint8Array, places: KeyPlaces): Map<string, Uint8Array> {
  const taken = new Map<string, Uint8Array>();
  if (keyMethodIn(body, places) === null) return taken;
  let ranges: Range[];
  try {
    ranges = rangesOf(body, places);
  } catch (error) {
    if (error instanceof Unread) return taken;
    throw error;
  }
  for (const { from, to } of ranges) {
    const token = `~key:${taken.size}`;
    // A copy, also of a Buffer.
    taken.set(token, new Uint8Array(body.subarray(from, to)));
    body.fill(SPACE, from, to + 1);
    body.set(Buffer.from(`${token}"`, 'latin1'), from);
  }
  return taken;
}
