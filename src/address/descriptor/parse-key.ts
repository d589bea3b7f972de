// Reads key expressions: an optional origin, then a public key in hex, a private key in WIF, or an extended key with its path
// (BIP-0380, BIP-0389); musig() is handed on to parse-musig.ts. Used by parse-script.ts. Messages are those of Core 0.21 where it has any.
import { fromHex, isHex } from '../../consensus/bytes/hex.js';
import { decodeExtendedKey, decodeExtendedSecret } from '../bip32/extended-codec.js';
import { type ExtendedKey, HARDENED } from '../bip32/extended-key.js';
import type { HardenedMark } from '../bip32/key-path.js';
import { decodeWif } from '../wif.js';
import { type DescriptorContext, DescriptorError } from './context.js';
import { parseUint32 } from './cursor.js';
import { type KeyExpression, OriginatedKey, PathedKey, type RangeKind, SingleKey } from './key-expression.js';
import { parseMusig } from './parse-musig.js';
import type { SecretRing } from './secrets.js';
import type { TakenKeys } from './taken-keys.js';
import { evenKey } from './taproot-tree.js';

/** Where a key stands: its script decides which forms it may have. */
export type KeyPlace = 'any' | 'compressed' | 'x-only' | 'participant';

/** What one run of the parser carries along. */
export interface ParseState {
  readonly context: DescriptorContext;
  /** Secrets found so far. */
  readonly secrets: SecretRing;
  /** Private keys that are not in the text itself. */
  readonly taken: TakenKeys;
  /** Place of the next key expression. */
  nextPlace: number;
}

/** How the hardened steps of one key expression are printed: the last sign read decides. */
export interface PathMarks {
  mark: HardenedMark;
}

const COMPRESSED_SIZE = 33;
const UNCOMPRESSED_SIZE = 65;
const X_ONLY_DIGITS = 64;
/** More would let a short text stand for a great many descriptors. */
const MAX_MULTIPATH = 1000;
/** Paths times what each of them repeats: a text of n characters would else stand for a number of things that grows with its square. */
const MAX_MULTIPLIED = 100_000;
const SPACE = /\s/;

/** One key per path it stands for: one, or as many as its multipath step has items. @throws DescriptorError */
export function parseKey(text: string, place: KeyPlace, state: ParseState): KeyExpression[] {
  if (state.context.language === 'master' && text.startsWith('musig(')) return parseMusig(text, place, state);
  const { context } = state;
  const [first = '', key, ...more] = text.split(']');
  if (more.length > 0) throw new DescriptorError("Multiple ']' characters found for a single pubkey");
  const marks: PathMarks = { mark: "'" };
  if (key === undefined) return parseBareKey(first, place, state, marks);
  if (!first.startsWith('[')) {
    throw new DescriptorError(`Key origin start '[ character expected but not found, got '${first[0] ?? ']'}' instead`);
  }
  const [fingerprint = '', ...steps] = first.slice(1).split('/');
  if (fingerprint.length !== 8) {
    throw new DescriptorError(`Fingerprint is not 4 bytes (${fingerprint.length} characters instead of 8 characters)`);
  }
  if (!isHex(fingerprint)) throw new DescriptorError(`Fingerprint '${fingerprint}' is not hex`);
  const [path] = parsePath(steps, false, context, marks);
  const origin = { fingerprint: fromHex(fingerprint), path };
  return parseBareKey(key, place, state, marks).map((inner) => new OriginatedKey(origin, inner, marks.mark));
}

function parseBareKey(text: string, place: KeyPlace, state: ParseState, marks: PathMarks): KeyExpression[] {
  const [head = '', ...steps] = text.split('/');
  const { context } = state;
  if (head === '') throw new DescriptorError('No key provided');
  if (context.language === 'master' && SPACE.test(head)) throw new DescriptorError(`Key '${head}' is invalid due to whitespace`);
  if (steps.length === 0) {
    const key = isHex(head) ? hexKey(head, place, context) : wifKey(head, state);
    if (key !== null) {
      if (place !== 'any' && key.length !== COMPRESSED_SIZE) throw new DescriptorError('Uncompressed keys are not allowed');
      state.nextPlace++;
      return [new SingleKey(key, place === 'x-only', context)];
    }
  }
  const root = extendedKey(head, state);
  if (root === null) throw new DescriptorError(`key '${head}' is not valid`);
  const range = takeRange(steps, context, marks);
  const paths = parsePath(steps, context.language === 'master', context, marks);
  const keyPlace = state.nextPlace++;
  return paths.map((path) => new PathedKey({ root, path, range, mark: marks.mark, place: keyPlace }, context));
}

function hexKey(text: string, place: KeyPlace, context: DescriptorContext): Uint8Array {
  const bytes = fromHex(text);
  if (place === 'x-only' && text.length === X_ONLY_DIGITS) {
    const key = evenKey(bytes);
    if (context.keys.isPoint(key)) return key;
  }
  const hybrid = bytes[0] === 6 || bytes[0] === 7;
  const known = bytes[0] === 2 || bytes[0] === 3 ? COMPRESSED_SIZE : bytes[0] === 4 || hybrid ? UNCOMPRESSED_SIZE : -1;
  if (bytes.length !== known || !context.keys.isPoint(bytes)) throw new DescriptorError(`Pubkey '${text}' is invalid`);
  if (hybrid && context.language === 'master') throw new DescriptorError('Hybrid public keys are not allowed');
  return bytes;
}

function wifKey(text: string, { context, secrets, taken }: ParseState): Uint8Array | null {
  const wif = decodeWif(taken.textOf(text), context.params, context.hashes);
  const key = wif && context.keys.publicKey(wif.key, wif.compressed);
  if (wif !== null && key !== null) secrets.add(key, wif.key);
  return key;
}

function extendedKey(text: string, { context, secrets, taken }: ParseState): ExtendedKey | null {
  const secret = decodeExtendedSecret(taken.textOf(text), context.params, context);
  if (secret === null) return decodeExtendedKey(text, context.params, context);
  secrets.add(secret.key.publicKey, secret.secret);
  return secret.key;
}

/** Cuts the star off the path. */
export function takeRange(steps: string[], context: DescriptorContext, marks: PathMarks): RangeKind {
  const last = steps.at(-1);
  if (last === '*') {
    steps.pop();
    return 'plain';
  }
  if (last !== "*'" && last !== '*h') return 'none';
  noteMark(last === "*'" ? "'" : 'h', context, marks);
  steps.pop();
  return 'hardened';
}

/** The paths that steps stand for: one, or one per item of a multipath step. Leaves the last hardened mark in marks. */
export function parsePath(steps: readonly string[], multipath: boolean, context: DescriptorContext, marks: PathMarks): number[][] {
  const path: number[] = [];
  let choices: { at: number; steps: number[] } | null = null;
  for (const step of steps) {
    if (context.language === 'master' && step.startsWith('<') && step.endsWith('>')) {
      if (!multipath) {
        throw new DescriptorError(`Key path value '${step}' specifies multipath in a section where multipath is not allowed`);
      }
      if (choices !== null) throw new DescriptorError('Multiple multipath key path specifiers found');
      choices = { at: path.length, steps: parseChoices(step, context, marks) };
      path.push(0);
    } else {
      path.push(parseStep(step, context, marks));
    }
  }
  if (choices === null) return [path];
  const { at, steps: items } = choices;
  checkMultiplied(items.length, path.length);
  return items.map((item) => path.with(at, item));
}

function parseChoices(step: string, context: DescriptorContext, marks: PathMarks): number[] {
  const items = step.slice(1, -1).split(';', MAX_MULTIPATH + 1);
  if (items.length < 2) throw new DescriptorError('Multipath key path specifiers must have at least two items');
  if (items.length > MAX_MULTIPATH) {
    throw new DescriptorError(`Multipath key path specifiers can have ${MAX_MULTIPATH} items at most`);
  }
  const seen = new Set<number>();
  for (const item of items) {
    const value = parseStep(item, context, marks);
    if (seen.has(value)) throw new DescriptorError(`Duplicated key path value ${value} in multipath specifier`);
    seen.add(value);
  }
  return [...seen];
}

function parseStep(step: string, context: DescriptorContext, marks: PathMarks): number {
  const sign = step.at(-1);
  const hardened = sign === "'" || sign === 'h';
  const digits = hardened ? step.slice(0, -1) : step;
  const index = parseUint32(digits, context.language === '0.21');
  if (index === null) throw new DescriptorError(`Key path value '${digits}' is not a valid uint32`);
  if (index >= HARDENED) throw new DescriptorError(`Key path value ${index} is out of range`);
  if (hardened) noteMark(sign, context, marks);
  return hardened ? index + HARDENED : index;
}

/**
 * Turns paths per part into parts per path; a part of one path serves them all.
 * @throws DescriptorError with `mismatch` when counts differ, and when paths times parts are more than any wallet uses
 */
export function alignPaths<T>(parts: readonly (readonly T[])[], mismatch: string): T[][] {
  const count = parts.reduce((most, part) => Math.max(most, part.length), 1);
  if (parts.some((part) => part.length !== 1 && part.length !== count)) throw new DescriptorError(mismatch);
  checkMultiplied(count, parts.length);
  return Array.from({ length: count }, (_, path) => parts.map((part) => part[part.length === 1 ? 0 : path]));
}

/** @param each steps of a path, or keys or scripts of a list */
function checkMultiplied(paths: number, each: number): void {
  if (paths > 1 && paths * each > MAX_MULTIPLIED) {
    throw new DescriptorError(`Multipath key path specifiers can repeat ${MAX_MULTIPLIED} steps, keys or scripts at most`);
  }
}

/** Core 0.21 knows both signs and prints one. */
function noteMark(mark: HardenedMark, { language }: DescriptorContext, marks: PathMarks): void {
  if (language === 'master') marks.mark = mark;
}
