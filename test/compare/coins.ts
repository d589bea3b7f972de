// Coins for the comparison with a bitcoind, the transactions that spend them and the blocks that confirm them. Most
// locks need no key.
import { testKey } from '../framework/keys.js';
import {
  compactSize,
  grind,
  type Header,
  hash160,
  hash256,
  merkleRoot,
  type Out,
  push,
  scriptNumber,
  serializeHeader,
  serializeTx,
  sha256,
  shown,
  TRUE_SCRIPT,
  TRUE_WITNESS,
  type Tx,
  unshown,
} from '../framework/messages.js';
import { scriptFor, signAll } from '../framework/mini-wallet.js';

/** true: P2WSH of OP_TRUE; drop: P2WSH that takes any one element; p2sh: P2SH of OP_TRUE; anchor: pay to anchor. */
export type Lock = 'true' | 'drop' | 'p2sh' | 'anchor' | 'p2wpkh' | 'p2pkh';

const KEY = testKey(77);
const DROP = Buffer.from([0x75, 0x51]);
const TRUE = Buffer.from([0x51]);
/** Stands for a signature of the usual length with its hash type. */
const DUMMY_SIGNATURE = Buffer.alloc(71);
const P2SH_TRUE = Buffer.concat([Buffer.from([0xa9, 20]), hash160(TRUE), Buffer.from([0x87])]);

export const scripts: Readonly<Record<Lock, Buffer>> = {
  true: TRUE_SCRIPT,
  drop: Buffer.concat([Buffer.from([0, 32]), sha256(DROP)]),
  p2sh: P2SH_TRUE,
  anchor: Buffer.from('51024e73', 'hex'),
  p2wpkh: scriptFor('p2wpkh', KEY),
  p2pkh: scriptFor('p2pkh', KEY),
};

const lockOf = new Map(Object.entries(scripts).map(([lock, script]) => [script.toString('hex'), lock as Lock]));

export interface Coin {
  txid: Buffer;
  index: number;
  /** The coin's name: the id in display hex, a colon, the index. */
  outpoint: string;
  /** In satoshis. */
  value: number;
  lock: Lock;
}

/** A transaction, with the data that the stream of actions needs. */
export interface Made {
  tx: Tx;
  hex: string;
  /** In display hex. */
  id: string;
  weight: number;
  /** Coins that the transaction spends; none for a coinbase. */
  spent: readonly Coin[];
  /** Coins that the transaction creates. */
  coins: Coin[];
}

/** Adds the id, and the coins of all outputs whose lock is known. */
export function made(tx: Tx, spent: readonly Coin[] = []): Made {
  const bytes = serializeTx(tx);
  const bare = serializeTx(tx, false);
  const id = hash256(bare);
  const idHex = shown(id);
  const coins = tx.outs.flatMap(({ value, script }, index) => {
    const lock = lockOf.get(Buffer.from(script).toString('hex'));
    return lock === undefined ? [] : [{ txid: id, index, outpoint: `${idHex}:${index}`, value, lock }];
  });
  return { tx, hex: bytes.toString('hex'), id: idHex, weight: weightOf(bare, bytes), spent, coins };
}

/** Fills in what the locks need that require no signature. */
function unlockWithoutKeys(tx: Tx, spent: readonly Coin[], element: Uint8Array): void {
  spent.forEach(({ lock }, i) => {
    const input = tx.ins[i]!;
    if (lock === 'true') input.witness = TRUE_WITNESS;
    else if (lock === 'drop') input.witness = [element, DROP];
    else if (lock === 'p2sh') input.script = push(TRUE);
  });
}

const weightOf = (bare: Uint8Array, bytes: Uint8Array): number => bare.length * 3 + bytes.length;

/** Returns the weight that a transaction will have with signatures, accurate to one byte for each signature. */
export function signedWeight(tx: Tx, spent: readonly Coin[], element: Uint8Array): number {
  unlockWithoutKeys(tx, spent, element);
  spent.forEach(({ lock }, i) => {
    const input = tx.ins[i]!;
    if (lock === 'p2wpkh') input.witness = [DUMMY_SIGNATURE, KEY.publicKey];
    else if (lock === 'p2pkh') input.script = Buffer.concat([push(DUMMY_SIGNATURE), push(KEY.publicKey)]);
  });
  return weightOf(serializeTx(tx, false), serializeTx(tx));
}

/**
 * Fills in what each input's lock needs.
 * @param element value for locks of kind `drop`; another value gives another wtxid
 */
export function unlock(tx: Tx, spent: readonly Coin[], element: Uint8Array = Buffer.alloc(0)): Made {
  unlockWithoutKeys(tx, spent, element);
  const signed = spent.map((coin) =>
    coin.lock === 'p2wpkh' || coin.lock === 'p2pkh' ? { ...coin, kind: coin.lock, key: KEY } : undefined,
  );
  signAll(tx, signed);
  return made(tx, spent);
}

/** Subsidy of regtest, in satoshis. */
const subsidyAt = (height: number): number => Math.floor(5_000_000_000 / 2 ** Math.floor(height / 150));

export interface Block {
  hash: string;
  prev: string;
  hex: string;
  height: number;
  time: number;
  header: Buffer;
  /** Serialised transactions, coinbase first. */
  body: Buffer[];
  coinbase: Made;
  txs: readonly Made[];
}

/** Deviations of a block from a valid one. */
export interface Twist {
  readonly header?: Partial<Header>;
  readonly unsolved?: boolean;
  readonly coinbase?: (tx: Tx) => Tx;
  /** Returns the block's transactions, coinbase first. */
  readonly listed?: (txs: readonly Made[]) => readonly Made[];
  readonly root?: (root: Buffer) => Buffer;
}

export const blockBytes = (header: Buffer, body: readonly Buffer[]): Buffer => Buffer.concat([header, compactSize(body.length), ...body]);

/**
 * Builds a block with proof of work. Its coinbase does not take the fees and makes `coins` coins, with the first kinds
 * of locks in rotation.
 */
export function buildBlock(
  prev: string,
  height: number,
  time: number,
  txs: readonly Made[],
  coins: number,
  {
    header: changed = {},
    unsolved = false,
    coinbase: change = (tx) => tx,
    listed = (list) => list,
    root: turn = (root) => root,
  }: Twist = {},
): Block {
  const locks: readonly Lock[] = ['true', 'true', 'drop', 'p2sh', 'p2wpkh', 'true', 'drop', 'p2sh', 'true', 'p2pkh'];
  const root = merkleRoot([Buffer.alloc(32), ...txs.map(({ hex }) => hash256(Buffer.from(hex, 'hex')))]);
  const commitment = Buffer.concat([Buffer.from('6a24aa21a9ed', 'hex'), hash256(Buffer.concat([root, Buffer.alloc(32)]))]);
  const share = Math.floor(subsidyAt(height) / coins);
  const outs: Out[] = Array.from({ length: coins }, (_, i) => ({ value: share, script: scripts[locks[i % locks.length]!] }));
  const script = Buffer.concat([scriptNumber(height), push(Buffer.from(`compare ${time}`))]);
  const coinbase = made(
    change({
      version: 2,
      ins: [{ txid: Buffer.alloc(32), index: 0xffffffff, script, witness: [Buffer.alloc(32)] }],
      outs: [...outs, { value: 0, script: commitment }],
      locktime: 0,
    }),
  );
  const all = listed([coinbase, ...txs]);
  const fields: Header = {
    version: 0x20000000,
    prev: unshown(prev),
    merkleRoot: turn(merkleRoot(all.map(({ id }) => unshown(id)))),
    time,
    bits: 0x207fffff,
    nonce: 0,
    ...changed,
  };
  const hash = shown(unsolved ? spoil(fields) : grind(fields));
  const header = serializeHeader(fields);
  const body = all.map(({ hex }) => Buffer.from(hex, 'hex'));
  return { hash, prev, hex: blockBytes(header, body).toString('hex'), height, time, header, body, coinbase, txs };
}

/** Finds a nonce that does not meet regtest's target: half of all do. Changes the header in place. */
function spoil(header: Header): Buffer {
  for (;;) {
    const hash = hash256(serializeHeader(header));
    if (hash[31]! >= 0x80) return hash;
    header.nonce++;
  }
}
