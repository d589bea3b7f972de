// Key expressions of descriptors: an optional origin, then a public key in hex or a private key in WIF. Extended keys need child
// derivation, which comes with the wallet; until then they are refused by name. Used by parse.ts.
import { fromHex, isHex } from '../../consensus/bytes/hex.js';
import type { Hashes } from '../../crypto/crypto.js';
import type { AddressParams } from '../address-params.js';
import { decodeBase58Check } from '../base58.js';
import { decodeWif } from '../wif.js';

/** What the parser needs of its surroundings. */
export interface DescriptorContext {
  readonly params: AddressParams;
  readonly hashes: Hashes;
  /** Whether 33 or 65 bytes are a point on the curve. */
  isPoint(key: Uint8Array): boolean;
  /** The public key of a private one, null when that is out of range. */
  publicKey(secret: Uint8Array, compressed: boolean): Uint8Array | null;
}

/** A message in Core's words. */
export class DescriptorError extends Error {}

const COMPRESSED_SIZE = 33;
const UNCOMPRESSED_SIZE = 65;
/** Version, depth, fingerprint, number, chain code, key. */
const EXTENDED_SIZE = 78;
const MAX_INDEX = 0x7fff_ffff;
const UINT32 = /^\+?[0-9]+$/;

/** A 32-bit unsigned number as Core 0.21 reads it (one leading plus is fine), or null. */
export function parseUint32(text: string): number | null {
  if (!UINT32.test(text) || text.length > 100) return null;
  const value = BigInt(text.replace('+', ''));
  return value > 0xffff_ffffn ? null : Number(value);
}

/** A key's bytes. @throws DescriptorError */
export function parseKey(text: string, allowUncompressed: boolean, ctx: DescriptorContext): Uint8Array {
  const [origin = '', key, ...more] = text.split(']');
  if (more.length > 0) throw new DescriptorError("Multiple ']' characters found for a single pubkey");
  if (key === undefined) return parseBareKey(origin, allowUncompressed, ctx);
  if (!origin.startsWith('[')) {
    throw new DescriptorError(`Key origin start '[ character expected but not found, got '${origin[0] ?? ']'}' instead`);
  }
  checkOrigin(origin.slice(1));
  return parseBareKey(key, allowUncompressed, ctx);
}

function checkOrigin(text: string): void {
  const [fingerprint = '', ...path] = text.split('/');
  if (fingerprint.length !== 8) {
    throw new DescriptorError(`Fingerprint is not 4 bytes (${fingerprint.length} characters instead of 8 characters)`);
  }
  if (!isHex(fingerprint)) throw new DescriptorError(`Fingerprint '${fingerprint}' is not hex`);
  for (const step of path) {
    const plain = step.endsWith("'") || step.endsWith('h') ? step.slice(0, -1) : step;
    const index = parseUint32(plain);
    if (index === null) throw new DescriptorError(`Key path value '${plain}' is not a valid uint32`);
    if (index > MAX_INDEX) throw new DescriptorError(`Key path value ${index} is out of range`);
  }
}

function parseBareKey(text: string, allowUncompressed: boolean, ctx: DescriptorContext): Uint8Array {
  const [head = ''] = text.split('/');
  if (head === '') throw new DescriptorError('No key provided');
  const key = head === text ? (isHex(text) ? publicKeyFromHex(text, ctx) : publicKeyFromWif(text, ctx)) : null;
  if (key) {
    if (!allowUncompressed && key.length !== COMPRESSED_SIZE) throw new DescriptorError('Uncompressed keys are not allowed');
    return key;
  }
  if (isExtended(head, ctx)) throw new DescriptorError(`Extended key '${head}' is not supported yet`);
  throw new DescriptorError(`key '${head}' is not valid`);
}

function publicKeyFromHex(text: string, ctx: DescriptorContext): Uint8Array {
  const key = fromHex(text);
  const sized = key.length === (key[0] === 2 || key[0] === 3 ? COMPRESSED_SIZE : UNCOMPRESSED_SIZE);
  if (!sized || !ctx.isPoint(key)) throw new DescriptorError(`Pubkey '${text}' is invalid`);
  return key;
}

function publicKeyFromWif(text: string, ctx: DescriptorContext): Uint8Array | null {
  const secret = decodeWif(text, ctx.params, ctx.hashes);
  return secret && ctx.publicKey(secret.key, secret.compressed);
}

const isExtended = (text: string, ctx: DescriptorContext): boolean =>
  decodeBase58Check(text, EXTENDED_SIZE, ctx.hashes)?.length === EXTENDED_SIZE;
