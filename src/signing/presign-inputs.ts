// Inputs of a PSBT that one key signs, made on other threads before the PSBT is filled: what is left for the node
// thread is to put them in. Everything else (multisig, scripts, taproot) is signed input by input, in slices.
import { SIGHASH_ALL } from '../consensus/script/sighash.js';
import type { SpentOutput } from '../consensus/script/spent-output.js';
import { isPayToPublicKeyHash, isPayToScriptHash, isPayToWitnessPublicKeyHash } from '../consensus/script/templates.js';
import { isFinal, type Psbt } from '../psbt/psbt.js';
import type { SigningResult } from './sign-input.js';
import type { SigningThreads } from './sign-transaction.js';
import type { SigningProvider } from './signing-provider.js';
import type { SigningTx } from './signing-tx.js';

/** A PSBT while its inputs are worked on. What they spend is read once: callers add outputs before. */
export interface PsbtSigning {
  readonly psbt: Psbt;
  readonly signing: SigningTx;
  /**
   * Whether the rules of release 32 hold: final is what verifies, and a sighash type other than the usual one must be
   * asked for, stands in the input and is that of all signatures in it.
   */
  readonly later: boolean;
  /** Inputs whose final scripts are known to verify. */
  readonly proven: Set<number>;
}

/** Fewer take the node thread about a millisecond. */
const MIN_PRESIGNED_INPUTS = 10;

/** An input that was signed and checked: both its parts as they will be in the end. */
export type PresignedInput = Pick<SigningResult, 'scriptSig' | 'witness'>;

/** P2PKH, P2WPKH, and what may be P2WPKH in P2SH. */
function mayBeOneKey(script: Uint8Array): boolean {
  return isPayToPublicKeyHash(script) || isPayToScriptHash(script) || isPayToWitnessPublicKeyHash(script);
}

/**
 * @param providerOf who knows the keys of these outputs; asked only when it is worth it
 * @param hashType null: ALL
 * @returns by input, what other threads made; inputs that they could not complete are missing
 */
export async function presignInputs(
  { psbt, signing }: PsbtSigning,
  providerOf: (spent: readonly (SpentOutput | null)[]) => Promise<SigningProvider>,
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
  const results = await threads.sign(psbt.tx, wanted, await providerOf(wanted), hashType ?? SIGHASH_ALL);
  results?.forEach((result, i) => {
    if (wanted[i] && result.code === 0 && signatureIn(result) !== null) made.set(i, result);
  });
  return made;
}

/** The signature of a made input by one key, null for other kinds of inputs. */
export function signatureIn({ scriptSig, witness }: PresignedInput): { signature: Uint8Array; publicKey: Uint8Array } | null {
  if (witness.length === 2) return { signature: witness[0], publicKey: witness[1] };
  if (witness.length > 0 || scriptSig.length === 0) return null;
  // Two pushes of less than 76 bytes.
  const keyAt = 1 + scriptSig[0];
  if (scriptSig[0] > 75 || keyAt + 1 + scriptSig[keyAt] !== scriptSig.length) return null;
  return { signature: scriptSig.subarray(1, keyAt), publicKey: scriptSig.subarray(keyAt + 1) };
}
