// Writes chains of payments with the shape of the main chain: payments with one to fourteen inputs and outputs. Most
// coins are spent while they are young, the others at any age. Signatures are random bytes of the usual size, so a node
// can download such a chain only below an assumed-valid block. Because nodes verify the scripts of the last two weeks
// in any case, two weeks of blocks without payments follow. The file contains whole `block` messages, as in
// signed-chain.ts. The tip has the time at which the file was written.
import { createHash, hash } from 'node:crypto';
import fs from 'node:fs';
import { GENESIS, REGTEST_BITS, SPACING, subsidy } from '../../test/framework/chain-builder.js';
import {
  compactSize,
  grind,
  hash256,
  scriptNumber,
  serializeHeader,
  serializeTx,
  shown,
  type Tx,
  txid,
} from '../../test/framework/messages.js';
import { pseudoRandom } from '../../test/framework/pseudo-random.js';

/** Size of the main chain at its first 500,000 blocks. */
export const OLD_CHAIN = { blocks: 500_000, coins: 60_000_000 };
/** Number of blocks without payments at the end: a little more than two weeks at the difficulty of regtest. */
const BURYING = 2_020;
const RIPE = 100;
/** Number of payments of the average block at the end of the chain. The number grows with the cube of the height. */
const MOST_TXS = 2_400;
const MAX_WEIGHT = 3_980_000;
/** Share of the inputs that spend a young coin. */
const YOUNG_SPENDS = 0.7;
/** Outputs of a payment that makes many coins. */
const FAN_OUTPUTS = 100;

const MAGIC = Buffer.from('fabfb5da', 'hex');
const COMMITMENT_HEAD = Buffer.from('6a24aa21a9ed', 'hex');
const MERKLE_NODE = 64;
const HASH = 32;
const SIGNATURE_AND_KEY = 106;

/** Beginning and end of the scripts, between which are the 20 bytes of a hash. */
const SCRIPTS = [
  { head: Buffer.from('1976a914', 'hex'), tail: Buffer.from('88ac', 'hex'), witness: false },
  { head: Buffer.from('17a914', 'hex'), tail: Buffer.from('87', 'hex'), witness: false },
  { head: Buffer.from('160014', 'hex'), tail: Buffer.alloc(0), witness: true },
] as const;

/** Contents of the blocks of a chain. */
export interface ChainShape {
  /** Number of blocks with payments, and those without before them. */
  readonly blocks: number;
  /** Most unspent outputs of payments at any height. */
  readonly coins: number;
  /** Number of the youngest coins, of which most inputs spend one. */
  readonly youngCoins: number;
  /** Part of the chain from which on two of five coins have version 0 witness programs. */
  readonly witnesses: number;
  /** Number of the first blocks whose payments spread one coin over FAN_OUTPUTS. */
  readonly fanBlocks: number;
  /** Returns a function that tells whether the block has enough payments. */
  block(height: number, random: () => number): (txs: number, inputs: number, coins: number) => boolean;
  /** Returns whether payments should increase the number of coins, which are `coins` now. */
  spreads(height: number, coins: number): boolean;
}

/** Facts of a chain. */
export interface OldChain {
  /** Number of blocks with payments, and height of the tip with the blocks after them. */
  readonly blocks: number;
  /** Number of blocks at the start of the chain that only split coins into many outputs. */
  readonly fanBlocks: number;
  readonly fanInputs: number;
  readonly height: number;
  readonly txs: number;
  readonly inputs: number;
  readonly outputs: number;
  /** Number of unspent coins at the tip. */
  readonly coins: number;
  /** Bytes of all blocks. */
  readonly bytes: number;
  readonly tipHex: string;
}

/** Coins as rows: outpoint 36, value 6, kind of the script 1. */
class CoinPool {
  static readonly ROW = 44;
  static readonly VALUE = 36;
  static readonly KIND = 42;
  readonly #rows: Buffer;
  count = 0;

  constructor(capacity: number) {
    this.#rows = Buffer.allocUnsafeSlow(capacity * CoinPool.ROW);
  }

  get full(): boolean {
    return (this.count + 1) * CoinPool.ROW > this.#rows.length;
  }

  put(row: Uint8Array): void {
    if (this.full) throw new Error('more coins than there is room for');
    this.#rows.set(row, this.count++ * CoinPool.ROW);
  }

  /** Removes a row. @param share position of the row, 0 for the first one, 1 for the last @param into receives the row */
  take(share: number, into: Buffer): void {
    const at = Math.floor(share * this.count) * CoinPool.ROW;
    const last = --this.count * CoinPool.ROW;
    this.#rows.copy(into, 0, at, at + CoinPool.ROW);
    this.#rows.copyWithin(at, last, last + CoinPool.ROW);
  }
}

const doubleHash = (bytes: Uint8Array): Buffer => hash('sha256', hash('sha256', bytes, 'buffer'), 'buffer');

/** Computes a merkle root from `count` hashes, in place. @returns the root */
function foldMerkle(level: Buffer, count: number): Buffer {
  for (let left = count; left > 1; left = (left + 1) >> 1) {
    if (left % 2 === 1) level.copy(level, left * HASH, (left - 1) * HASH, left * HASH);
    for (let i = 0; i * 2 < left; i++) doubleHash(level.subarray(i * MERKLE_NODE, (i + 1) * MERKLE_NODE)).copy(level, i * HASH);
  }
  return Buffer.from(level.subarray(0, HASH));
}

/** Writes payments one after another, and collects their ids and weight. */
class BlockBody {
  readonly bytes = Buffer.allocUnsafeSlow(4_200_000);
  /** txids of the coinbase (filled in later) and the payments, and their wtxids. */
  readonly ids = Buffer.allocUnsafeSlow(40_000 * HASH);
  readonly witnessIds = Buffer.allocUnsafeSlow(40_000 * HASH);
  readonly #bare = Buffer.allocUnsafeSlow(100_000);
  /** Random bytes, used as signatures and keys. */
  readonly #noise = createHash('shake256', { outputLength: 65_536 }).digest();
  readonly #row = Buffer.alloc(CoinPool.ROW);
  readonly #kinds: number[] = [];
  #seed = Int32Array.of(1, 2, 3, 4);
  length = 0;
  txs = 0;
  weight = 0;

  begin(): void {
    this.length = 0;
    this.txs = 0;
    this.weight = 0;
  }

  /** Writes the inputs of a payment. @returns the sum of their values in satoshis */
  #writeInputs(count: number, take: (into: Buffer) => void): number {
    let [at, sum] = [this.length, 0];
    const { bytes } = this;
    this.#kinds.length = 0;
    bytes[at++] = count;
    for (let i = 0; i < count; i++) {
      take(this.#row);
      sum += this.#row.readUIntLE(CoinPool.VALUE, 6);
      const kind = this.#row[CoinPool.KIND]!;
      this.#kinds.push(kind);
      this.#row.copy(bytes, at, 0, CoinPool.VALUE);
      at += CoinPool.VALUE;
      if (SCRIPTS[kind]!.witness) bytes[at++] = 0;
      else {
        bytes[at++] = SIGNATURE_AND_KEY;
        at = this.#writeSignature(at);
      }
      at = bytes.writeUInt32LE(0xffffffff, at);
    }
    this.length = at;
    return sum;
  }

  /** Writes a signature and a key, each after its length: pushes of a scriptSig, or items of a witness. */
  #writeSignature(at: number): number {
    const from = this.#next() & 0x7fff;
    this.#noise.copy(this.bytes, at, from, from + SIGNATURE_AND_KEY);
    this.bytes[at] = 71;
    this.bytes[at + 72] = 33;
    return at + SIGNATURE_AND_KEY;
  }

  #next(): number {
    const seed = this.#seed;
    let x = seed[0]! ^ (seed[0]! << 11);
    x ^= x >>> 8;
    seed.copyWithin(0, 1);
    seed[3] = seed[2]! ^ (seed[2]! >>> 19) ^ x;
    return seed[3]!;
  }

  /** Adds a payment that spends the coins that take() returns. */
  add(inputs: number, outputs: number, kindOf: () => number, take: (into: Buffer) => void, keep: (row: Buffer) => void): void {
    const { bytes } = this;
    const begin = this.length;
    this.length = bytes.writeUInt32LE(2, begin);
    // Reserve bytes for marker and flag. They are removed below if there are no witnesses.
    bytes.writeUInt16BE(1, this.length);
    this.length += 2;
    const sum = this.#writeInputs(inputs, take);
    const value = Math.floor(sum / outputs);
    const kinds = Array.from({ length: outputs }, kindOf);
    bytes[this.length++] = outputs;
    for (const kind of kinds) {
      const { head, tail } = SCRIPTS[kind]!;
      bytes.writeUIntLE(value, this.length, 6);
      bytes.writeUInt16LE(0, this.length + 6);
      head.copy(bytes, this.length + 8);
      let at = this.length + 8 + head.length;
      for (let i = 0; i < 5; i++) at = bytes.writeInt32LE(this.#next(), at);
      tail.copy(bytes, at);
      this.length = at + tail.length;
    }
    const witnesses = this.#kinds.some((kind) => SCRIPTS[kind]!.witness);
    this.#bare.writeUInt32LE(2, 0);
    bytes.copy(this.#bare, 4, begin + 6, this.length);
    const bareLength = this.length - begin - 2 + 4;
    this.#bare.writeUInt32LE(0, bareLength - 4);
    const id = doubleHash(this.#bare.subarray(0, bareLength));
    if (witnesses) {
      for (const kind of this.#kinds) {
        if (SCRIPTS[kind]!.witness) {
          bytes[this.length] = 2;
          this.length = this.#writeSignature(this.length + 1);
        } else bytes[this.length++] = 0;
      }
      this.length = bytes.writeUInt32LE(0, this.length);
    } else {
      this.#bare.copy(bytes, begin, 0, bareLength);
      this.length = begin + bareLength;
    }
    this.txs++;
    id.copy(this.ids, this.txs * HASH);
    (witnesses ? doubleHash(bytes.subarray(begin, this.length)) : id).copy(this.witnessIds, this.txs * HASH);
    this.weight += 3 * bareLength + this.length - begin;
    for (const [index, kind] of kinds.entries()) keep(coinRow(this.#row, id, index, value, kind));
  }
}

function coinRow(row: Buffer, id: Buffer, index: number, value: number, kind: number): Buffer {
  id.copy(row);
  row.writeUInt32LE(index, HASH);
  row.writeUIntLE(value, CoinPool.VALUE, 6);
  row[CoinPool.KIND] = kind;
  return row;
}

/**
 * Returns the number of inputs and outputs of a payment. A rare large payment has many outputs if `spread` is true,
 * otherwise many inputs.
 */
function payment(random: () => number, spread: boolean): readonly [inputs: number, outputs: number] {
  if (random() < 0.8) return [random() < 0.65 ? 1 : 2, 2];
  const many = 3 + Math.floor(random() * 12);
  return spread ? [1, many] : [many, 1];
}

/** Returns OLD_CHAIN at a scale: tiny blocks at the beginning, full ones at the end. */
export function oldShape(scale: number): ChainShape {
  const blocks = Math.round(OLD_CHAIN.blocks * scale);
  const coins = OLD_CHAIN.coins * scale;
  return {
    blocks,
    coins,
    youngCoins: Math.ceil(coins * 0.01),
    witnesses: 0.75,
    fanBlocks: 0,
    block: (height, random) => {
      const due = Math.round(MOST_TXS * (height / blocks) ** 3 * -Math.log(1 - random()));
      return (txs) => txs >= due;
    },
    spreads: (height, held) => held < coins * (height / blocks) ** 4,
  };
}

/** Number of blocks before the first payment. The coinbases of the first blocks can then be spent. */
const UNPAID = RIPE + 10;
/** Coins that payments add for each of their inputs. */
const GROWTH = 0.3;
/** Coins that a block of FAN_OUTPUTS makes. */
const FAN_COINS = 20_000;

/**
 * Returns a chain of full blocks, as today's blocks are.
 * @param inputs number of inputs of all payments
 * @param perBlock number of inputs of a block
 * @param coins number of unspent outputs at the end; if the payments do not create so many, the first blocks create the
 * rest
 */
export function fullShape(inputs: number, perBlock: number, coins: number): ChainShape {
  const fanned = Math.max(0, coins - Math.floor(inputs * GROWTH));
  const fanBlocks = fanned === 0 ? 0 : UNPAID + Math.ceil(fanned / FAN_COINS) + 2;
  const first = Math.max(UNPAID, fanBlocks);
  return {
    blocks: first + Math.ceil(inputs / perBlock),
    coins,
    youngCoins: 20_000,
    witnesses: 0.5,
    fanBlocks,
    block: (height) => {
      if (height <= UNPAID) return () => true;
      return height <= fanBlocks ? (txs, _, held) => txs * FAN_OUTPUTS >= FAN_COINS || held >= fanned : (_, done) => done >= perBlock;
    },
    spreads: (_, held) => held < coins,
  };
}

/** Writes a chain. */
export function writeChain(file: string, shape: ChainShape): OldChain {
  const random = pseudoRandom(21);
  const { blocks } = shape;
  const old = new CoinPool(Math.ceil(shape.coins * 1.2) + blocks + 200_000);
  const young = new CoinPool(shape.youngCoins);
  const body = new BlockBody();
  const coinbases: Buffer[] = [];
  const spare = Buffer.alloc(CoinPool.ROW);
  const out = fs.openSync(file, 'w');
  const start = Math.floor(Date.now() / 1000) - (blocks + BURYING) * SPACING;
  let [txs, inputs, outputs, bytes, fanInputs] = [0, 0, 0, 0, 0];
  let tip = GENESIS.hash;
  const keep = (row: Buffer): void => {
    if (young.full) {
      young.take(random(), spare);
      old.put(spare);
    }
    young.put(row);
  };
  const take = (into: Buffer): void => {
    const pool = old.count === 0 || (young.count > 0 && random() < YOUNG_SPENDS) ? young : old;
    pool.take(random(), into);
  };
  const height = blocks + BURYING;
  for (let at = 1; at <= height; at++) {
    const part = at / blocks;
    body.begin();
    const kindOf = (): number => (part > shape.witnesses && random() < 0.4 ? 2 : random() < 0.2 ? 1 : 0);
    const isEnough = part > 1 ? () => true : shape.block(at, random);
    const before = inputs;
    while (body.weight < MAX_WEIGHT) {
      const held = old.count + young.count;
      if (isEnough(body.txs, inputs - before, held)) break;
      const [ins, outs] = at <= shape.fanBlocks ? [1, FAN_OUTPUTS] : payment(random, shape.spreads(at, held));
      if (held < ins) break;
      body.add(ins, outs, kindOf, take, keep);
      inputs += ins;
      outputs += outs;
    }
    if (at === shape.fanBlocks) fanInputs = inputs;
    const coinbase = coinbaseOf(at, body);
    const id = txid(coinbase);
    id.copy(body.ids);
    coinbases.push(coinRow(Buffer.alloc(CoinPool.ROW), id, 0, subsidy(at), 0));
    if (coinbases.length > RIPE) keep(coinbases.shift()!);
    const header = {
      version: 0x20000000,
      prev: tip,
      merkleRoot: foldMerkle(body.ids, body.txs + 1),
      time: start + at * SPACING,
      bits: REGTEST_BITS,
      nonce: 0,
    };
    tip = grind(header);
    const top = Buffer.concat([serializeHeader(header), compactSize(body.txs + 1), serializeTx(coinbase)]);
    const payments = body.bytes.subarray(0, body.length);
    fs.writevSync(out, [messageHead(top, payments), top, payments]);
    txs += body.txs + 1;
    outputs++;
    bytes += top.length + payments.length;
  }
  fs.closeSync(out);
  const coins = old.count + young.count + coinbases.length;
  return { blocks, fanBlocks: shape.fanBlocks, fanInputs, height, txs, inputs, outputs, coins, bytes, tipHex: shown(tip) };
}

/** Returns a coinbase that pays to a key hash that is different in every block. */
function coinbaseOf(height: number, body: BlockBody): Tx {
  body.witnessIds.fill(0, 0, HASH);
  const commitment = hash256(Buffer.concat([foldMerkle(body.witnessIds, body.txs + 1), Buffer.alloc(HASH)]));
  const { head, tail } = SCRIPTS[0];
  const script = Buffer.concat([head.subarray(1), doubleHash(scriptNumber(height)).subarray(0, 20), tail]);
  return {
    version: 2,
    ins: [
      {
        txid: Buffer.alloc(HASH),
        index: 0xffffffff,
        script: Buffer.concat([scriptNumber(height), Buffer.from([0, 0])]),
        witness: [Buffer.alloc(HASH)],
      },
    ],
    outs: [
      { value: subsidy(height), script },
      { value: 0, script: Buffer.concat([COMMITMENT_HEAD, commitment]) },
    ],
    locktime: 0,
  };
}

/** Returns the message head of a `block` message with these two parts. */
function messageHead(top: Buffer, payments: Buffer): Buffer {
  const head = Buffer.alloc(24);
  MAGIC.copy(head);
  head.write('block', 4, 'latin1');
  head.writeUInt32LE(top.length + payments.length, 16);
  const once = createHash('sha256').update(top).update(payments).digest();
  hash('sha256', once, 'buffer').copy(head, 20, 0, 4);
  return head;
}
