// Builds the bytes of a transaction from values. The format is the extended one if an input has witness items,
// otherwise the legacy one; see tx-view.ts.

import { ByteWriter } from '../bytes/writer.js';

/** One input to build. */
export interface TxInputFields {
  /** 32 bytes, internal order. */
  prevHash: Uint8Array;
  prevIndex: number;
  scriptSig: Uint8Array;
  sequence: number;
  /** Stack items, bottom first. */
  witness?: readonly Uint8Array[];
}

/** One output to build. */
export interface TxOutputFields {
  /** Value in satoshis; a bigint if it may exceed the safe range. */
  value: number | bigint;
  script: Uint8Array;
}

/** A transaction's values. */
export interface TxFields {
  version: number;
  inputs: readonly TxInputFields[];
  outputs: readonly TxOutputFields[];
  locktime: number;
}

/** Encodes a transaction. */
export function buildTx(fields: TxFields): Uint8Array {
  const out = new ByteWriter(256);
  const hasWitness = fields.inputs.some((input) => input.witness !== undefined && input.witness.length > 0);
  out.i32(fields.version);
  if (hasWitness) out.u8(0).u8(1);
  out.compactSize(fields.inputs.length);
  for (const input of fields.inputs) {
    out.bytes(input.prevHash).u32(input.prevIndex).varBytes(input.scriptSig).u32(input.sequence);
  }
  out.compactSize(fields.outputs.length);
  for (const output of fields.outputs) {
    out.u64(typeof output.value === 'number' && output.value < 0 ? BigInt(output.value) : output.value).varBytes(output.script);
  }
  if (hasWitness) {
    for (const input of fields.inputs) {
      const items = input.witness ?? [];
      out.compactSize(items.length);
      for (const item of items) out.varBytes(item);
    }
  }
  return out.u32(fields.locktime).finish();
}
