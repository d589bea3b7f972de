// Parses key expressions: an optional origin, then a public key in hex, a private key in WIF, or an extended key with
// its path (BIP-0380, BIP-0389), and musig() (BIP-0390). Messages are those of Core 0.21, if it has one for the error.

import { fromHex, isHex } from '../../consensus/bytes/hex.js';
import { decodeExtendedKey, decodeExtendedSecret } from '../bip32/extended-codec.js';
import { type ExtendedKey, HARDENED } from '../bip32/extended-key.js';
import { decodeWif } from '../wif.js';
import { type DescriptorContext, DescriptorError, within } from './context.js';
import { takeExpression, takeText } from './cursor.js';
import { type KeyExpression, OriginatedKey, PathedKey, SingleKey } from './key-expression.js';
import { MusigKey } from './musig-key.js';
import { alignPaths, type KeyPlace, type ParseState, type PathMarks, parsePath, takeRange } from './parse-path.js';
import { evenKey } from './taproot-tree.js';

const NAME = 'musig(';

/** Parses one key expression: parseKey, which calls this file for musig(). */
type KeyParser = (text: string, place: KeyPlace, state: ParseState) => KeyExpression[];

/**
 * Parses musig(). Returns one key per path (multipath steps give several).
 * @param text begins with `musig(`
 * @param parseKey parses the participants
 * @throws DescriptorError
 */
function parseMusig(text: string, place: KeyPlace, state: ParseState, parseKey: KeyParser): KeyExpression[] {
  const { context } = state;
  if (place !== 'x-only') throw new DescriptorError('musig() is only allowed in tr() and rawtr()');
  const end = text.indexOf(')');
  if (end < 0) throw new DescriptorError('Invalid musig() expression');
  const tail = text.slice(end + 1);
  if (tail.includes(')')) throw new DescriptorError("Too many ')' in musig() expression");
  if (tail !== '' && !tail.startsWith('/')) throw new DescriptorError('Invalid musig() expression');
  const participants = parseParticipants(text.slice(NAME.length, end), state, parseKey);
  const steps = tail.split('/').slice(1);
  const marks: PathMarks = { mark: "'" };
  const range = takeRange(steps, context, marks);
  const paths = within('musig()', context, () => parsePath(steps, true, context, marks));
  if (tail !== '') checkDerivation(participants.flat(), paths);
  if (range === 'hardened') throw new DescriptorError('musig(): Cannot have hardened child derivation');
  const rows = alignPaths(participants, 'musig(): Multipath derivation paths have mismatched lengths');
  if (rows.length > 1 && paths.length > 1) {
    throw new DescriptorError('musig(): Cannot have multipath participant keys if musig() is also multipath');
  }
  return Array.from({ length: Math.max(rows.length, paths.length) }, (_, i) => {
    const fields = { participants: rows[rows.length === 1 ? 0 : i], path: paths[paths.length === 1 ? 0 : i], star: range === 'plain' };
    return new MusigKey(fields, context);
  });
}

function parseParticipants(inner: string, state: ParseState, parseKey: KeyParser): KeyExpression[][] {
  const rest = { text: inner };
  const participants: KeyExpression[][] = [];
  while (rest.text !== '') {
    if (participants.length > 0 && !takeText(',', rest)) {
      throw new DescriptorError(`musig(): expected ',', got '${rest.text[0]}'`);
    }
    participants.push(within('musig()', state.context, () => parseKey(takeExpression(rest), 'participant', state)));
  }
  if (participants.length === 0) throw new DescriptorError('musig(): Must contain key expressions');
  return participants;
}

function checkDerivation(participants: readonly KeyExpression[], paths: readonly (readonly number[])[]): void {
  if (participants.some((key) => !key.isExtended)) {
    throw new DescriptorError('musig(): derivation requires all participants to be xpubs or xprvs');
  }
  if (participants.some((key) => key.isRange)) {
    throw new DescriptorError('musig(): Cannot have ranged participant keys if musig() also has derivation');
  }
  if (paths.some((path) => path.some((step) => step >= HARDENED))) {
    throw new DescriptorError('musig(): cannot have hardened derivation steps');
  }
}

const COMPRESSED_SIZE = 33;
const UNCOMPRESSED_SIZE = 65;
const X_ONLY_DIGITS = 64;
const SPACE = /^\s|\s$/;

/** Parses a key expression. Returns one key, or one for each item of its multipath step. @throws DescriptorError */
export function parseKey(text: string, place: KeyPlace, state: ParseState): KeyExpression[] {
  if (state.context.language === 'master' && text.startsWith('musig(')) return parseMusig(text, place, state, parseKey);
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
      // Print the key in the form in which it was written: as a full key or as its x coordinate. A key written as
      // private key is printed as x coordinate.
      const xOnly = place === 'x-only' && (!isHex(head) || head.length === X_ONLY_DIGITS);
      return [new SingleKey(key, xOnly, context)];
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
  if (hybrid && bytes.length === known && context.language === 'master') throw new DescriptorError('Hybrid public keys are not allowed');
  if (bytes.length !== known || !context.keys.isPoint(bytes)) throw new DescriptorError(`Pubkey '${text}' is invalid`);
  return bytes;
}

function wifKey(text: string, { context, secrets, keyTokens: taken }: ParseState): Uint8Array | null {
  const wif = decodeWif(taken.textOf(text), context.params, context.hashes);
  const key = wif && context.keys.publicKey(wif.key, wif.compressed);
  if (wif !== null && key !== null) secrets.add(key, wif.key);
  return key;
}

function extendedKey(text: string, { context, secrets, keyTokens: taken }: ParseState): ExtendedKey | null {
  const secret = decodeExtendedSecret(taken.textOf(text), context.params, context);
  if (secret === null) return decodeExtendedKey(text, context.params, context);
  secrets.add(secret.key.publicKey, secret.secret);
  return secret.key;
}
