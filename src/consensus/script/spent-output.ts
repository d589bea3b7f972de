// A spent output as script checks need it (coins have more fields), and the encoding of a list of spent outputs for
// other threads. Sending an array for each script would take about four times as long.
import type { ByteReader } from '../bytes/reader.js';
import type { ByteWriter } from '../bytes/writer.js';

export interface SpentOutput {
  /** Satoshi. */
  readonly value: number;
  /** scriptPubKey. */
  readonly script: Uint8Array;
}

/**
 * A spent output whose script is not in an array of its own yet. Creating such an array for each input of a block costs
 * more than copying the scripts.
 */
export interface PackedOutput extends SpentOutput {
  /** Length of the script in bytes. */
  readonly scriptLength: number;
  /** Kind of the script, one of SIGOPS (script/sigops.ts). */
  readonly sigops: number;
  /** Writes the script into `into`, at `at`. */
  copyScript(into: Uint8Array, at: number): void;
}

export function isPacked(output: { readonly script: Uint8Array }): output is PackedOutput {
  return (output as PackedOutput).copyScript !== undefined;
}

/** Returns a size in bytes that is enough for most lists with this number of entries. */
export const spentOutputsSize = (count: number): number => 48 * count + 8;

/** Writes a list: the number of entries, then for each 1, value and script with size, or 0 for null. */
export function writeSpentOutputs(out: ByteWriter, spent: readonly (SpentOutput | null)[]): void {
  out.compactSize(spent.length);
  for (const output of spent) {
    out.u8(output ? 1 : 0);
    if (output) out.u64(output.value).varBytes(output.script);
  }
}

/** Reads a list that writeSpentOutputs has written. Scripts are views. */
export function readSpentOutputs(reader: ByteReader): (SpentOutput | null)[] {
  const spent: (SpentOutput | null)[] = [];
  for (let left = reader.compactSize(); left > 0; left--) {
    spent.push(reader.u8() === 1 ? { value: reader.u64(), script: reader.varBytes() } : null);
  }
  return spent;
}
