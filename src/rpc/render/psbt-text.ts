// Converts PSBTs from and to Base64, with Core's error messages.
import type { Hashes } from '../../crypto/crypto.js';
import { TimeSlice } from '../../lib/time-slice.js';
import { type Compat, follows, only } from '../../policy/compat.js';
import { encodePsbt, type Psbt, type PsbtCrypto, PsbtError, type PsbtVersion, readPsbt, readPsbtSteps } from '../../psbt/index.js';
import { fail, RPC_CODE } from '../errors.js';

/** Decodes Base64 without white space, with correct padding and no stray bits; null for any other text. */
function base64Bytes(text: string): Uint8Array | null {
  // Buffer ignores what is not Base64, so only a correct text is written again as it was.
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? new Uint8Array(bytes) : null;
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
    return failParse(error);
  }
}

/** Parses a PSBT in Base64 in time slices, for threads that write. */
export async function asPsbtInSlices(text: string, { crypto, compat }: PsbtContext): Promise<Psbt> {
  const bytes = base64Bytes(text) ?? failDecode('invalid base64');
  try {
    return await new TimeSlice().run(readPsbtSteps(bytes, crypto, follows(compat, 32)));
  } catch (error) {
    return failParse(error);
  }
}

function failParse(error: unknown): never {
  if (error instanceof PsbtError) return failDecode(error.message);
  throw error;
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
