// Signature hashes, implemented in the simplest way with Buffers and node:crypto. Tests compare the real ones with
// them, and sign them. Uses no code of src/.

import { createHash } from 'node:crypto';

/** A transaction as plain values. */
export interface NaiveTx {
  version: number;
  inputs: { prevHash: Uint8Array; prevIndex: number; sequence: number }[];
  outputs: { value: number; script: Uint8Array }[];
  locktime: number;
}
export interface NaiveSpent {
  value: number;
  script: Uint8Array;
}

const sha256 = (...parts: Uint8Array[]): Buffer => createHash('sha256').update(Buffer.concat(parts)).digest();
const sha256d = (...parts: Uint8Array[]): Buffer => sha256(sha256(...parts));
const u32 = (value: number): Buffer => {
  const out = Buffer.alloc(4);
  out.writeUInt32LE(value >>> 0);
  return out;
};
const i64 = (value: number): Buffer => {
  const out = Buffer.alloc(8);
  out.writeBigInt64LE(BigInt(value));
  return out;
};
const compact = (value: number): Buffer => {
  if (value < 253) return Buffer.of(value);
  if (value < 65536) return Buffer.of(253, value & 255, value >> 8);
  return Buffer.concat([Buffer.of(254), u32(value)]);
};
const sized = (bytes: Uint8Array): Buffer => Buffer.concat([compact(bytes.length), bytes]);
const outpoint = (input: NaiveTx['inputs'][number]): Buffer => Buffer.concat([input.prevHash, u32(input.prevIndex)]);
const output = ({ value, script }: NaiveSpent): Buffer => Buffer.concat([i64(value), sized(script)]);

/**
 * Returns the original signature hash. The script must not contain OP_CODESEPARATOR.
 * @param declared script size to write instead of the real one (below 253)
 */
export function naiveLegacy(tx: NaiveTx, index: number, script: Uint8Array, hashType: number, declared?: number): Buffer {
  const base = hashType & 31;
  if (base === 3 && index >= tx.outputs.length) return Buffer.concat([Buffer.of(1), Buffer.alloc(31)]);
  let inputs = tx.inputs.map((input, i) => ({
    ...input,
    script: i === index ? script : Buffer.alloc(0),
    sequence: i !== index && (base === 2 || base === 3) ? 0 : input.sequence,
  }));
  if ((hashType & 128) !== 0) inputs = [inputs[index]];
  let outputs = tx.outputs;
  if (base === 2) outputs = [];
  if (base === 3) outputs = tx.outputs.slice(0, index + 1).map((o, i) => (i < index ? { value: -1, script: Buffer.alloc(0) } : o));
  return sha256d(
    u32(tx.version),
    compact(inputs.length),
    ...inputs.flatMap((input) => {
      const code = input.script === script && declared !== undefined ? Buffer.concat([Buffer.of(declared), script]) : sized(input.script);
      return [outpoint(input), code, u32(input.sequence)];
    }),
    compact(outputs.length),
    Buffer.concat(outputs.map(output)),
    u32(tx.locktime),
    u32(hashType),
  );
}

/** Returns the signature hash of BIP-0143. */
export function naiveSegwit(tx: NaiveTx, index: number, script: Uint8Array, value: number, hashType: number): Buffer {
  const base = hashType & 31;
  const acp = (hashType & 128) !== 0;
  const zero = Buffer.alloc(32);
  const single = base === 3 && index < tx.outputs.length ? sha256d(output(tx.outputs[index])) : zero;
  return sha256d(
    u32(tx.version),
    acp ? zero : sha256d(...tx.inputs.map(outpoint)),
    acp || base === 2 || base === 3 ? zero : sha256d(...tx.inputs.map((input) => u32(input.sequence))),
    outpoint(tx.inputs[index]),
    sized(script),
    i64(value),
    u32(tx.inputs[index].sequence),
    base === 2 ? zero : base === 3 ? single : sha256d(...tx.outputs.map(output)),
    u32(tx.locktime),
    u32(hashType),
  );
}

/** Data that taproot signature hashes commit to in addition to the transaction. */
export interface NaiveTaproot {
  annex?: Uint8Array;
  leafHash?: Uint8Array;
  codeSeparator?: number;
}

/** Returns the signature hash of BIP-0341 or BIP-0342. @returns null if no hash is defined */
export function naiveTaproot(tx: NaiveTx, index: number, spent: NaiveSpent[], hashType: number, more: NaiveTaproot = {}): Buffer | null {
  if (![0, 1, 2, 3, 0x81, 0x82, 0x83].includes(hashType)) return null;
  const acp = (hashType & 128) !== 0;
  const base = hashType & 3;
  if (base === 3 && index >= tx.outputs.length) return null;
  const parts: Uint8Array[] = [Buffer.of(0, hashType), u32(tx.version), u32(tx.locktime)];
  if (!acp) {
    parts.push(sha256(...tx.inputs.map(outpoint)), sha256(...spent.map((s) => i64(s.value))), sha256(...spent.map((s) => sized(s.script))));
    parts.push(sha256(...tx.inputs.map((input) => u32(input.sequence))));
  }
  if (base < 2) parts.push(sha256(...tx.outputs.map(output)));
  parts.push(Buffer.of((more.leafHash === undefined ? 0 : 2) + (more.annex === undefined ? 0 : 1)));
  if (acp) parts.push(outpoint(tx.inputs[index]), output(spent[index]), u32(tx.inputs[index].sequence));
  else parts.push(u32(index));
  if (more.annex !== undefined) parts.push(sha256(sized(more.annex)));
  if (base === 3) parts.push(sha256(output(tx.outputs[index])));
  if (more.leafHash !== undefined) parts.push(more.leafHash, Buffer.of(0), u32(more.codeSeparator ?? 0xffffffff));
  const tag = sha256(Buffer.from('TapSighash'));
  return sha256(tag, tag, ...parts);
}
