// Converts PSBTs from and to Base64, with Core's error messages.
import type { Hashes } from '../../crypto/crypto.js';
import { type Compat, follows, only } from '../../policy/compat.js';
import { encodePsbt, type Psbt, type PsbtCrypto, PsbtError, type PsbtVersion, readPsbt } from '../../psbt/index.js';
import { fail, RPC_CODE } from '../errors.js';

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;
const GROUP = 4;

/** Decodes Base64 without white space, with correct padding and no stray bits; null for any other text. */
function base64Bytes(text: string): Uint8Array | null {
  if (text.length % GROUP !== 0 || !BASE64.test(text)) return null;
  const last = text.slice(-GROUP);
  if (last.endsWith('=') && Buffer.from(last, 'base64').toString('base64') !== last) return null;
  return new Uint8Array(Buffer.from(text, 'base64'));
}

const failDecode = (why: string): never => fail(RPC_CODE.DESERIALIZATION_ERROR, `TX decode failed ${why}`);

interface PsbtContext {
  readonly crypto: PsbtCrypto;
  readonly compat: Compat;
}

/** Parses a PSBT in Base64. */
export function asPsbt(text: string, { crypto, compat }: PsbtContext): Psbt {
  const bytes = base64Bytes(text) ?? failDecode('invalid base64');
  try {
    return readPsbt(bytes, crypto, follows(compat, 32));
  } catch (error) {
    if (error instanceof PsbtError) return failDecode(error.message);
    throw error;
  }
}

/**
 * Checks the version of a new PSBT. Default: 2 with -compat=31 (Core's master, which counts as release 32), else 0, because
 * older software reads only version 0.
 */
export function asPsbtVersion(wanted: number | undefined, compat: Compat): PsbtVersion {
  const version = wanted ?? (only(compat, 32) ? 2 : 0);
  return version === 2 || version === 0 ? version : fail(RPC_CODE.INVALID_PARAMETER, 'The PSBT version can only be 2 or 0');
}

/** Encodes a PSBT as Base64. */
export function psbtText(psbt: Psbt, hashes: Hashes, compat: Compat): string {
  const bytes = encodePsbt(psbt, hashes, follows(compat, 32));
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64');
}
