// What a script check needs of the coin an input spends (coins of the chain room have these fields and more), and a
// list of them as it crosses threads: an array of its own for each script takes about four times as long.
import type { ByteReader } from '../bytes/reader.js';
import type { ByteWriter } from '../bytes/writer.js';

/** A spent output. */
export interface SpentOutput {
  /** Satoshi. */
  readonly value: number;
  /** scriptPubKey. */
  readonly script: Uint8Array;
}

/** One whose script is not at hand as an array: making one for each input of a block costs more than copying it. */
export interface PackedOutput extends SpentOutput {
  /** Of the script, bytes. */
  readonly scriptLength: number;
  /** One of SIGOPS (script/sigops.ts). */
  readonly sigops: number;
  /** Writes the script to `into`, from `at` on. */
  copyScript(into: Uint8Array, at: number): void;
}

/** Which of the two an output is. */
export function isPacked(output: { readonly script: Uint8Array }): output is PackedOutput {
  return (output as PackedOutput).copyScript !== undefined;
}

/** Bytes that a list of so many usually takes at most. */
export const spentOutputsSize = (count: number): number => 48 * count + 8;

/** Writes the number of entries; of each 1, value and script with size, or 0 where it is null. */
export function writeSpentOutputs(out: ByteWriter, spent: readonly (SpentOutput | null)[]): void {
  out.compactSize(spent.length);
  for (const output of spent) {
    out.u8(output ? 1 : 0);
    if (output) out.u64(output.value).varBytes(output.script);
  }
}

/** Reads what writeSpentOutputs wrote: scripts are views. */
export function readSpentOutputs(reader: ByteReader): (SpentOutput | null)[] {
  const spent: (SpentOutput | null)[] = [];
  for (let left = reader.compactSize(); left > 0; left--) {
    spent.push(reader.u8() === 1 ? { value: reader.u64(), script: reader.varBytes() } : null);
  }
  return spent;
}
