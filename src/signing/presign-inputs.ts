// Signs inputs of a PSBT that need one key each on other threads, before the PSBT is filled. All other inputs
// (multisig, scripts, taproot) are signed one by one, in slices.
import { SIGHASH_ALL } from '../consensus/script/sighash.js';
import type { SpentOutput } from '../consensus/script/spent-output.js';
import { isPayToPublicKeyHash, isPayToScriptHash, isPayToWitnessPublicKeyHash } from '../consensus/script/templates.js';
import { isFinal, type Psbt } from '../psbt/index.js';
import type { SigningResult } from './sign-input.js';
import type { SigningThreads } from './sign-transaction.js';
import type { SigningProvider } from './signing-provider.js';
import type { SigningTx } from './signing-tx.js';

/**
 * PSBT whose inputs are being signed. The spent outputs are read from the PSBT once, so callers must add known previous
 * transactions before.
 */
export interface PsbtSigning {
  readonly psbt: Psbt;
  readonly signing: SigningTx;
  /**
   * True to use the rules of release 32: an input is final if its scripts are valid. The sighash type of an input and
   * of all its signatures must be the requested type, or the default if none was requested.
   */
  readonly later: boolean;
  /** Inputs whose final scripts are known to be valid. */
  readonly proven: Set<number>;
}

/**
 * Smallest number of inputs that are signed on other threads. Signing fewer takes the calling thread about a
 * millisecond.
 */
const MIN_PRESIGNED_INPUTS = 10;

/** Final scripts of an input that another thread signed and verified. */
export type PresignedInput = Pick<SigningResult, 'scriptSig' | 'witness'>;

/** Returns whether a script is P2PKH, P2WPKH, or possibly P2SH-P2WPKH. */
function mayBeOneKey(script: Uint8Array): boolean {
  return isPayToPublicKeyHash(script) || isPayToScriptHash(script) || isPayToWitnessPublicKeyHash(script);
}

/**
 * Signs the inputs that need one key on other threads.
 * @param providerOf returns the keys for spent outputs; called only if there are enough inputs
 * @param hashType null: ALL
 * @returns results by input, without inputs that could not be completed
 */
export async function presignInputs(
  { psbt, signing }: PsbtSigning,
  providerOf: (spent: readonly (SpentOutput | null)[]) => SigningProvider,
  hashType: number | null,
  threads: SigningThreads | undefined,
): Promise<ReadonlyMap<number, PresignedInput>> {
  const made = new Map<number, PresignedInput>();
  const wanted = psbt.inputs.map((input, i) => {
    const output = signing.spent[i];
    const plain = output !== null && !isFinal(input) && input.partialSigs.size === 0 && mayBeOneKey(output.script);
    return plain ? output : null;
  });
  if (threads === undefined || wanted.filter((output) => output !== null).length < MIN_PRESIGNED_INPUTS) return made;
  const results = await threads.sign(psbt.tx, wanted, providerOf(wanted), hashType ?? SIGHASH_ALL);
  results?.forEach((result, i) => {
    if (wanted[i] && result.code === 0 && signatureIn(result) !== null) made.set(i, result);
  });
  return made;
}

/** Returns the signature and key of a presigned input; null for inputs of other types. */
export function signatureIn({ scriptSig, witness }: PresignedInput): { signature: Uint8Array; publicKey: Uint8Array } | null {
  if (witness.length === 2) return { signature: witness[0], publicKey: witness[1] };
  if (witness.length > 0 || scriptSig.length === 0) return null;
  // The scriptSig is two pushes of less than 76 bytes.
  const keyAt = 1 + scriptSig[0];
  if (scriptSig[0] > 75 || keyAt + 1 + scriptSig[keyAt] !== scriptSig.length) return null;
  return { signature: scriptSig.subarray(1, keyAt), publicKey: scriptSig.subarray(keyAt + 1) };
}
