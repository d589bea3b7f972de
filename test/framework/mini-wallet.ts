// A wallet for tests: output scripts of every standard type, and signatures that spend them, with its own signature
// hashes.
import { derEncode, type TestKey, testKey, testTaggedHash } from './keys.js';
import { compactSize, hash160, hash256, push, scriptNumber, serializeTx, sha256, type Tx, txid } from './messages.js';

/** The standard output types. */
export const kinds = [
  'p2pk',
  'p2pkh',
  'multisig',
  'p2sh-multisig',
  'p2wpkh',
  'p2wsh',
  'p2sh-p2wpkh',
  'p2sh-p2wsh',
  'p2tr-key',
  'p2tr-script',
  'p2pkh-cltv-p2sh',
  'p2wsh-csv',
] as const;
export type Kind = (typeof kinds)[number];

/** An output that this wallet can spend. */
export interface Spendable {
  txid: Buffer;
  index: number;
  value: number;
  kind: Kind;
  key: TestKey;
}

const OP = {
  EQUAL: 0x87,
  HASH160: 0xa9,
  DUP: 0x76,
  EQUALVERIFY: 0x88,
  CHECKSIG: 0xac,
  CHECKMULTISIG: 0xae,
  CLTV: 0xb1,
  CSV: 0xb2,
  DROP: 0x75,
} as const;
const bytes = (...parts: (number | Uint8Array)[]): Buffer =>
  Buffer.concat(parts.map((part) => (typeof part === 'number' ? Buffer.from([part]) : part)));
const p2pkh = (key: TestKey): Buffer => bytes(OP.DUP, OP.HASH160, push(hash160(key.publicKey)), OP.EQUALVERIFY, OP.CHECKSIG);
const p2sh = (redeem: Uint8Array): Buffer => bytes(OP.HASH160, push(hash160(redeem)), OP.EQUAL);
const second = testKey(9001);
const twoOfTwo = (key: TestKey): Buffer => bytes(0x52, push(key.publicKey), push(second.publicKey), 0x52, OP.CHECKMULTISIG);
/** A script that anyone can spend from height 1 on. */
const cltvRedeem = (key: TestKey): Buffer => bytes(scriptNumber(1), OP.CLTV, OP.DROP, push(key.publicKey), OP.CHECKSIG);
const csvScript = (key: TestKey): Buffer => bytes(scriptNumber(1), OP.CSV, OP.DROP, push(key.publicKey), OP.CHECKSIG);
const leafScript = (key: TestKey): Buffer => bytes(push(key.xonly), OP.CHECKSIG);
const leafHash = (script: Uint8Array): Buffer =>
  Buffer.from(testTaggedHash('TapLeaf', Buffer.from([0xc0]), compactSize(script.length), script));

/** The output script of a kind. */
export function scriptFor(kind: Kind, key: TestKey): Buffer {
  switch (kind) {
    case 'p2pk':
      return bytes(push(key.publicKey), OP.CHECKSIG);
    case 'p2pkh':
      return p2pkh(key);
    case 'multisig':
      return twoOfTwo(key);
    case 'p2sh-multisig':
      return p2sh(twoOfTwo(key));
    case 'p2wpkh':
      return bytes(0, push(hash160(key.publicKey)));
    case 'p2wsh':
      return bytes(0, push(sha256(twoOfTwo(key))));
    case 'p2sh-p2wpkh':
      return p2sh(bytes(0, push(hash160(key.publicKey))));
    case 'p2sh-p2wsh':
      return p2sh(bytes(0, push(sha256(twoOfTwo(key)))));
    case 'p2tr-key':
      return bytes(0x51, push(key.taprootOutput().key));
    case 'p2tr-script':
      return bytes(0x51, push(key.taprootOutput(leafHash(leafScript(key))).key));
    case 'p2pkh-cltv-p2sh':
      return p2sh(cltvRedeem(key));
    case 'p2wsh-csv':
      return bytes(0, push(sha256(csvScript(key))));
  }
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
const sized = (data: Uint8Array): Buffer => Buffer.concat([compactSize(data.length), data]);

/** Returns the original signature hash with SIGHASH_ALL. */
function legacySighash(tx: Tx, index: number, scriptCode: Uint8Array): Buffer {
  const copy: Tx = {
    ...tx,
    ins: tx.ins.map((input, i) => ({ ...input, script: i === index ? scriptCode : Buffer.alloc(0), witness: [] })),
  };
  return hash256(Buffer.concat([serializeTx(copy, false), u32(1)]));
}

/** Returns the signature hash of BIP-0143 with SIGHASH_ALL. */
function segwitSighash(tx: Tx, index: number, scriptCode: Uint8Array, value: number): Buffer {
  const input = tx.ins[index]!;
  return hash256(
    Buffer.concat([
      u32(tx.version),
      hash256(Buffer.concat(tx.ins.flatMap((i) => [i.txid, u32(i.index)]))),
      hash256(Buffer.concat(tx.ins.map((i) => u32(i.sequence ?? 0xffffffff)))),
      input.txid,
      u32(input.index),
      sized(scriptCode),
      u64(value),
      u32(input.sequence ?? 0xffffffff),
      hash256(Buffer.concat(tx.outs.flatMap((o) => [u64(o.value), sized(o.script)]))),
      u32(tx.locktime),
      u32(1),
    ]),
  );
}

/** Returns the signature hash of BIP-0341 with SIGHASH_DEFAULT; with a leaf, that of BIP-0342. */
function taprootSighash(tx: Tx, index: number, spent: readonly Spendable[], leaf?: Uint8Array): Uint8Array {
  return testTaggedHash(
    'TapSighash',
    Buffer.from([0, 0]),
    u32(tx.version),
    u32(tx.locktime),
    sha256(Buffer.concat(tx.ins.flatMap((i) => [i.txid, u32(i.index)]))),
    sha256(Buffer.concat(spent.map((coin) => u64(coin.value)))),
    sha256(Buffer.concat(spent.map((coin) => sized(scriptFor(coin.kind, coin.key))))),
    sha256(Buffer.concat(tx.ins.map((i) => u32(i.sequence ?? 0xffffffff)))),
    sha256(Buffer.concat(tx.outs.flatMap((o) => [u64(o.value), sized(o.script)]))),
    Buffer.from([leaf ? 2 : 0]),
    u32(index),
    ...(leaf ? [leafHash(leaf), Buffer.from([0]), u32(0xffffffff)] : []),
  );
}

const sign = (key: TestKey, hash: Uint8Array): Buffer => Buffer.concat([derEncode(key.signEcdsa(hash, true)), Buffer.from([1])]);

/** Returns the coins of all inputs, because BIP-0341 signs all of them. @throws if one is missing */
function everyCoin(spent: readonly (Spendable | undefined)[]): Spendable[] {
  return spent.map((coin) => {
    if (coin === undefined) throw new Error('a taproot signature needs the coins of all inputs');
    return coin;
  });
}

/** Fills in scriptSig and witness of every input whose coin is given at the same index. */
export function signAll(tx: Tx, spent: readonly (Spendable | undefined)[]): void {
  spent.forEach((coin, index) => {
    if (coin === undefined) return;
    const input = tx.ins[index]!;
    const { key, kind, value } = coin;
    const both = (hash: Buffer): Buffer[] => [sign(key, hash), sign(second, hash)];
    switch (kind) {
      case 'p2pk':
        input.script = push(sign(key, legacySighash(tx, index, scriptFor(kind, key))));
        break;
      case 'p2pkh':
        input.script = bytes(push(sign(key, legacySighash(tx, index, scriptFor(kind, key)))), push(key.publicKey));
        break;
      case 'multisig':
        input.script = bytes(0, ...both(legacySighash(tx, index, scriptFor(kind, key))).map(push));
        break;
      case 'p2sh-multisig':
        input.script = bytes(0, ...both(legacySighash(tx, index, twoOfTwo(key))).map(push), push(twoOfTwo(key)));
        break;
      case 'p2pkh-cltv-p2sh':
        input.script = bytes(push(sign(key, legacySighash(tx, index, cltvRedeem(key)))), push(cltvRedeem(key)));
        break;
      case 'p2sh-p2wpkh':
      case 'p2wpkh':
        input.witness = [sign(key, segwitSighash(tx, index, p2pkh(key), value)), key.publicKey];
        if (kind === 'p2sh-p2wpkh') input.script = push(bytes(0, push(hash160(key.publicKey))));
        break;
      case 'p2sh-p2wsh':
      case 'p2wsh':
        input.witness = [Buffer.alloc(0), ...both(segwitSighash(tx, index, twoOfTwo(key), value)), twoOfTwo(key)];
        if (kind === 'p2sh-p2wsh') input.script = push(bytes(0, push(sha256(twoOfTwo(key)))));
        break;
      case 'p2wsh-csv':
        input.witness = [sign(key, segwitSighash(tx, index, csvScript(key), value)), csvScript(key)];
        break;
      case 'p2tr-key':
        input.witness = [key.signTaproot(taprootSighash(tx, index, everyCoin(spent)))];
        break;
      case 'p2tr-script': {
        const leaf = leafScript(key);
        const { parity } = key.taprootOutput(leafHash(leaf));
        input.witness = [
          key.signSchnorr(taprootSighash(tx, index, everyCoin(spent), leaf)),
          leaf,
          Buffer.concat([Buffer.from([0xc0 | parity]), key.xonly]),
        ];
        break;
      }
    }
  });
}

/** Number of the next key. All wallets share it, so that no two wallets have the same key. */
let nextKey = 1;

/** Coins and their keys. */
export class MiniWallet {
  readonly coins: Spendable[] = [];

  /** Returns a new key. */
  key(): TestKey {
    return testKey(nextKey++);
  }

  /**
   * Spends coins to one output of each given type, with equal values after the fee. The new outputs are returned but
   * not added to `coins`; the caller adds them when the transaction is mined.
   */
  spend(
    spent: readonly Spendable[],
    into: readonly Kind[],
    feeSats: number,
  ): { tx: Tx; hex: string; txidHex: string; outputs: Spendable[] } {
    const total = spent.reduce((sum, coin) => sum + coin.value, 0) - feeSats;
    const share = Math.floor(total / into.length);
    const keys = into.map(() => this.key());
    const tx: Tx = {
      version: 2,
      ins: spent.map((coin) => ({
        txid: coin.txid,
        index: coin.index,
        sequence: coin.kind === 'p2wsh-csv' ? 1 : coin.kind === 'p2pkh-cltv-p2sh' ? 0xfffffffe : 0xffffffff,
      })),
      outs: into.map((kind, i) => ({ value: i === 0 ? total - share * (into.length - 1) : share, script: scriptFor(kind, keys[i]!) })),
      locktime: spent.some((coin) => coin.kind === 'p2pkh-cltv-p2sh') ? 1 : 0,
    };
    signAll(tx, spent);
    const id = txid(tx);
    return {
      tx,
      hex: serializeTx(tx).toString('hex'),
      txidHex: Buffer.from(id).reverse().toString('hex'),
      outputs: into.map((kind, index) => ({ txid: id, index, value: tx.outs[index]!.value, kind, key: keys[index]! })),
    };
  }
}
