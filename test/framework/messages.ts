// Bitcoin's serialisations, implemented a second time for tests, so that test data are not made by the node's own code.
import { createHash } from 'node:crypto';

export const sha256 = (data: Uint8Array): Buffer => createHash('sha256').update(data).digest();
export const hash256 = (data: Uint8Array): Buffer => sha256(sha256(data));
export const hash160 = (data: Uint8Array): Buffer => createHash('ripemd160').update(sha256(data)).digest();
/** Output script that pays to the witness script OP_TRUE. */
export const TRUE_SCRIPT = Buffer.concat([Buffer.from([0, 32]), sha256(Buffer.from([0x51]))]);
/** Witness that spends such an output. */
export const TRUE_WITNESS = [Buffer.from([0x51])];
/** Returns the display hex of a hash. */
export const shown = (hash: Uint8Array): string => Buffer.from(hash).reverse().toString('hex');
/** Returns the bytes of display hex in internal order. */
export const unshown = (hex: string): Buffer => Buffer.from(hex, 'hex').reverse();

export function compactSize(n: number): Buffer {
  if (n < 253) return Buffer.from([n]);
  const out = Buffer.alloc(n < 0x10000 ? 3 : 5);
  out[0] = n < 0x10000 ? 253 : 254;
  if (n < 0x10000) out.writeUInt16LE(n, 1);
  else out.writeUInt32LE(n, 1);
  return out;
}

const u32 = (n: number): Buffer => {
  const out = Buffer.alloc(4);
  out.writeUInt32LE(n >>> 0);
  return out;
};
const u64 = (n: number): Buffer => {
  const out = Buffer.alloc(8);
  out.writeBigInt64LE(BigInt(n));
  return out;
};
const prefixed = (data: Uint8Array): Buffer => Buffer.concat([compactSize(data.length), data]);

export interface In {
  txid: Buffer;
  index: number;
  script?: Uint8Array;
  sequence?: number;
  witness?: Uint8Array[];
}
export interface Out {
  /** Satoshi. */
  value: number;
  script: Uint8Array;
}

/** A transaction as its fields. */
export interface Tx {
  version: number;
  ins: In[];
  outs: Out[];
  locktime: number;
}

export function serializeTx(tx: Tx, withWitness = true): Buffer {
  const witness = withWitness && tx.ins.some((input) => (input.witness?.length ?? 0) > 0);
  return Buffer.concat([
    u32(tx.version),
    ...(witness ? [Buffer.from([0, 1])] : []),
    compactSize(tx.ins.length),
    ...tx.ins.flatMap((input) => [
      input.txid,
      u32(input.index),
      prefixed(input.script ?? Buffer.alloc(0)),
      u32(input.sequence ?? 0xffffffff),
    ]),
    compactSize(tx.outs.length),
    ...tx.outs.flatMap((output) => [u64(output.value), prefixed(output.script)]),
    ...(witness ? tx.ins.flatMap((input) => [compactSize(input.witness?.length ?? 0), ...(input.witness ?? []).map(prefixed)]) : []),
    u32(tx.locktime),
  ]);
}

export const txid = (tx: Tx): Buffer => hash256(serializeTx(tx, false));

export interface Header {
  version: number;
  prev: Buffer;
  merkleRoot: Buffer;
  time: number;
  bits: number;
  nonce: number;
}

export function serializeHeader(header: Header): Buffer {
  const out = Buffer.alloc(80);
  out.writeInt32LE(header.version, 0);
  header.prev.copy(out, 4);
  header.merkleRoot.copy(out, 36);
  out.writeUInt32LE(header.time, 68);
  out.writeUInt32LE(header.bits, 72);
  out.writeUInt32LE(header.nonce, 76);
  return out;
}

export function merkleRoot(hashes: readonly Buffer[]): Buffer {
  let level = [...hashes];
  while (level.length > 1) {
    const next: Buffer[] = [];
    for (let i = 0; i < level.length; i += 2) next.push(hash256(Buffer.concat([level[i]!, level[i + 1] ?? level[i]!])));
    level = next;
  }
  return level[0] ?? Buffer.alloc(32);
}

function targetOf(bits: number): bigint {
  const exponent = bits >>> 24;
  const mantissa = BigInt(bits & 0x7fffff);
  return exponent <= 3 ? mantissa >> BigInt(8 * (3 - exponent)) : mantissa << BigInt(8 * (exponent - 3));
}

/** Searches a nonce for regtest's easy target. Changes the header in place. */
export function grind(header: Header): Buffer {
  const target = targetOf(header.bits);
  const bytes = serializeHeader(header);
  for (let nonce = header.nonce; ; nonce++) {
    bytes.writeUInt32LE(nonce, 76);
    const hash = hash256(bytes);
    if (BigInt(`0x${shown(hash)}`) <= target) {
      header.nonce = nonce;
      return hash;
    }
  }
}

/** Returns a number in minimal script encoding. */
export function scriptNumber(n: number): Buffer {
  if (n === 0) return Buffer.from([0]);
  if (n >= 1 && n <= 16) return Buffer.from([0x50 + n]);
  const bytes: number[] = [];
  for (let rest = n; rest > 0; rest = Math.floor(rest / 256)) bytes.push(rest % 256);
  if (bytes[bytes.length - 1]! & 0x80) bytes.push(0);
  return Buffer.from([bytes.length, ...bytes]);
}

/** Returns a push of up to 65,535 bytes. */
export function push(data: Uint8Array): Buffer {
  if (data.length < 0x4c) return Buffer.concat([Buffer.from([data.length]), data]);
  if (data.length < 0x100) return Buffer.concat([Buffer.from([0x4c, data.length]), data]);
  return Buffer.concat([Buffer.from([0x4d, data.length & 255, data.length >> 8]), data]);
}
