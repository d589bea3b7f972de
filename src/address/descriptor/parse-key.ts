// Parses key expressions: an optional origin, then a public key in hex, a private key in WIF, or an extended key with
// its path (BIP-0380, BIP-0389). parse-musig.ts parses musig(). Messages are those of Core 0.21, if it has one for the
// error.

import { fromHex, isHex } from '../../consensus/bytes/hex.js';
import { decodeExtendedKey, decodeExtendedSecret } from '../bip32/extended-codec.js';
import type { ExtendedKey } from '../bip32/extended-key.js';
import { decodeWif } from '../wif.js';
import { type DescriptorContext, DescriptorError } from './context.js';
import { type KeyExpression, OriginatedKey, PathedKey, SingleKey } from './key-expression.js';
import { parseMusig } from './parse-musig.js';
import { type KeyPlace, type ParseState, type PathMarks, parsePath, takeRange } from './parse-path.js';
import { evenKey } from './taproot-tree.js';

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
