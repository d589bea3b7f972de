// How large a transaction will be once it is signed, from what each input needs at most (BIP-0141 virtual sizes).
import { compactSizeLength } from '../../../consensus/bytes/compact-size.js';

/** What an input takes when signed. */
export interface InputSize {
  /** Bytes of the scriptSig. */
  readonly scriptSig: number;
  /** Bytes of the witness with its counts and lengths; 0 when there is none. */
  readonly witness: number;
  /** Weight of all of the input, where the caller says it. */
  readonly weight?: number;
}

export const OUTPOINT_AND_SEQUENCE = 40;
const VERSION_AND_LOCKTIME = 8;

/** Bytes of an output. */
export const outputBytes = (script: Uint8Array): number => 8 + compactSizeLength(script.length) + script.length;

const strippedInput = ({ scriptSig }: InputSize): number => OUTPOINT_AND_SEQUENCE + compactSizeLength(scriptSig) + scriptSig;

/** @param hasWitness in some input, so that each counts a byte for having none */
const weightOf = (input: InputSize, hasWitness: boolean): number =>
  input.weight ?? strippedInput(input) * 4 + (hasWitness ? Math.max(1, input.witness) : 0);

/** Virtual size of an input alone; one without a witness counts the byte that says so. */
export const inputVirtualSize = (input: InputSize): number => Math.ceil(weightOf(input, true) / 4);

/** Weight of a transaction of these inputs and output scripts. */
export function transactionWeight(inputs: readonly InputSize[], scripts: readonly Uint8Array[]): number {
  const outputs = scripts.reduce((sum, script) => sum + outputBytes(script), compactSizeLength(scripts.length));
  const hasWitness = inputs.some(({ witness }) => witness > 0);
  const fixed = (VERSION_AND_LOCKTIME + compactSizeLength(inputs.length) + outputs) * 4 + (hasWitness ? 2 : 0);
  return inputs.reduce((sum, input) => sum + weightOf(input, hasWitness), fixed);
}

export const virtualSize = (inputs: readonly InputSize[], scripts: readonly Uint8Array[]): number =>
  Math.ceil(transactionWeight(inputs, scripts) / 4);
