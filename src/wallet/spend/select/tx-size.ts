// Computes the size of a signed transaction from the largest size of each input (BIP-0141 virtual sizes).
import { compactSizeLength } from '../../../consensus/bytes/compact-size.js';

/** Size of a signed input. */
export interface InputSize {
  /** Bytes of the scriptSig. */
  readonly scriptSig: number;
  /** Bytes of the witness with its counts and lengths; 0 if there is none. */
  readonly witness: number;
  /** Weight of the whole input, if the caller gave it. */
  readonly weight?: number;
}

export const OUTPOINT_AND_SEQUENCE = 40;
const VERSION_AND_LOCKTIME = 8;

/** Returns the size of an output, bytes. */
export const outputBytes = (script: Uint8Array): number => 8 + compactSizeLength(script.length) + script.length;

const strippedInput = ({ scriptSig }: InputSize): number => OUTPOINT_AND_SEQUENCE + compactSizeLength(scriptSig) + scriptSig;

/**
 * Returns the weight of an input.
 * @param hasWitness whether any input of the transaction has a witness. Then each input has one, which may be empty
 */
const weightOf = (input: InputSize, hasWitness: boolean): number =>
  input.weight ?? strippedInput(input) * 4 + (hasWitness ? Math.max(1, input.witness) : 0);

/** Returns the virtual size of a single input. An input without a witness counts one byte for the empty witness. */
export const inputVirtualSize = (input: InputSize): number => Math.ceil(weightOf(input, true) / 4);

/** Returns the weight of a transaction with these inputs and output scripts. */
export function transactionWeight(inputs: readonly InputSize[], scripts: readonly Uint8Array[]): number {
  const outputs = scripts.reduce((sum, script) => sum + outputBytes(script), compactSizeLength(scripts.length));
  const hasWitness = inputs.some(({ witness }) => witness > 0);
  const fixed = (VERSION_AND_LOCKTIME + compactSizeLength(inputs.length) + outputs) * 4 + (hasWitness ? 2 : 0);
  return inputs.reduce((sum, input) => sum + weightOf(input, hasWitness), fixed);
}

export const virtualSize = (inputs: readonly InputSize[], scripts: readonly Uint8Array[]): number =>
  Math.ceil(transactionWeight(inputs, scripts) / 4);
