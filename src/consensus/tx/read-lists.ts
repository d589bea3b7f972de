// Parses a transaction's input and output lists into a table of offsets.
//
// The table has absolute positions in the underlying buffer: per input INPUT_SLOTS entries (start, script start, script
// end, witness start or 0), then per output OUTPUT_SLOTS entries (start, script start), then the end of the last
// output.

import type { ByteReader } from '../bytes/reader.js';
import type { OffsetTable } from './offset-table.js';

/** Table entries per input. */
export const INPUT_SLOTS = 4;
/** Table entries per output. */
export const OUTPUT_SLOTS = 2;

/**
 * Reads the input list into the table, and returns the number of inputs. The table grows as inputs are read, so a false
 * count allocates no memory.
 * @throws DecodeError
 */
export function readInputs(reader: ByteReader, table: OffsetTable): number {
  const count = reader.compactSize();
  for (let i = 0; i < count; i++) {
    const start = reader.skip(36);
    const length = reader.compactSize();
    const script = reader.skip(length);
    reader.skip(4);
    table.push(start);
    table.push(script);
    table.push(script + length);
    table.push(0);
  }
  return count;
}

/**
 * Reads the output list into the table, and returns the number of outputs. The caller must add the end of the last
 * output.
 * @throws DecodeError
 */
export function readOutputs(reader: ByteReader, table: OffsetTable): number {
  const count = reader.compactSize();
  for (let i = 0; i < count; i++) {
    const start = reader.skip(8);
    const length = reader.compactSize();
    table.push(start);
    table.push(reader.skip(length));
  }
  return count;
}
