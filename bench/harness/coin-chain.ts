// Writes a chain with very many coins as a bootstrap file, faster than a node can read it. Its blocks are full of
// transactions that spend a few coins from anywhere in the chain and create many. Anyone can spend these coins. Run as
// a program it writes one such file.
//
//   node build/bench/harness/coin-chain.js FILE COINS
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import { type BuiltBlock, buildBlock, GENESIS } from '../../test/framework/chain-builder.js';
import type { Out, Tx } from '../../test/framework/messages.js';
import { pseudoRandom } from '../../test/framework/pseudo-random.js';

const MAGIC = Buffer.from('fabfb5da', 'hex');
/** Depth at which a coinbase can be spent. Each of the first blocks creates coins. */
const RIPE = 101;
const FIRST_COINS = 1_100;
const TXS = 200;
const INPUTS = 5;
const OUTPUTS = 143;
/** Number of coins that the generator remembers and can spend. */
const POOL = 400_000;
/** A time long ago, so that the node is in the initial block download. */
const START_TIME = 1_400_000_000;
/** Largest number of spendable coins in the result. */
const NAMED = 50_000;

/**
 * Returns <20 bytes> OP_DROP OP_TRUE: a script of the usual length that is different in every transaction. Anyone can
 * spend it.
 */
function script(seed: number): Buffer {
  const bytes = Buffer.alloc(23, seed & 255);
  bytes[0] = 20;
  bytes.writeDoubleLE(seed, 1);
  bytes[21] = 0x75;
  bytes[22] = 0x51;
  return bytes;
}

interface PoolCoin {
  readonly txid: Buffer;
  readonly index: number;
}

export interface CoinChain {
  readonly tip: { readonly height: number; readonly hashHex: string };
  readonly coins: number;
  readonly bytes: number;
  readonly inputs: number;
  /** Some of the unspent coins, from all parts of the chain. They can be spent with an empty scriptSig. */
  readonly spendable: readonly { readonly txidHex: string; readonly index: number }[];
}

/** Writes blocks until this number of coins is unspent. */
function writeHere(file: string, wanted: number): CoinChain {
  const random = pseudoRandom(1);
  const out = fs.openSync(file, 'w');
  const pool: PoolCoin[] = [];
  const waiting: BuiltBlock[] = [];
  let tip = GENESIS;
  let [coins, bytes, inputs, tag] = [0, 0, 0, 0];
  const remember = (coin: PoolCoin): void => {
    if (pool.length < POOL) pool.push(coin);
    else pool[Math.floor(random() * POOL)] = coin;
  };
  const take = (): PoolCoin => {
    const at = Math.floor(random() * pool.length);
    const coin = pool[at]!;
    pool[at] = pool[pool.length - 1]!;
    pool.pop();
    return coin;
  };
  while (coins < wanted) {
    const first = tip.height < RIPE;
    const txs: Tx[] = [];
    for (let t = 0; t < TXS && !first; t++) {
      const outs: Out[] = Array.from({ length: OUTPUTS }, () => ({ value: 0, script: script(tag++) }));
      const ins = Array.from({ length: INPUTS }, () => ({ ...take(), sequence: 0xffffffff }));
      txs.push({ version: 2, ins, outs, locktime: 0 });
    }
    const outs = Array.from({ length: first ? FIRST_COINS : 0 }, () => ({ value: 0, script: script(tag++) }));
    tip = buildBlock(tip, { txs, outs, time: START_TIME + 600 * tip.height, tag: tip.height });
    coins += 1 + outs.length + txs.length * (OUTPUTS - INPUTS);
    inputs += txs.length * INPUTS;
    if (first) waiting.push(tip);
    const ripe = waiting[tip.height - 100];
    if (ripe !== undefined) for (let index = 1; index <= FIRST_COINS; index++) remember({ txid: ripe.txids[0]!, index });
    for (let t = 1; t < tip.txids.length; t++) {
      const txid = tip.txids[t]!;
      for (let index = 0; index < OUTPUTS; index += 4) remember({ txid, index });
    }
    const head = Buffer.alloc(8);
    MAGIC.copy(head);
    head.writeUInt32LE(tip.bytes.length, 4);
    fs.writeSync(out, head);
    fs.writeSync(out, tip.bytes);
    bytes += tip.bytes.length + 8;
    // Drop the parent and the bytes, because each block would keep all blocks before it in memory.
    tip = { ...tip, prev: null, bytes: Buffer.alloc(0), txs: [] };
  }
  fs.closeSync(out);
  const spendable = Array.from({ length: Math.min(NAMED, pool.length) }, () => {
    const { txid, index } = take();
    return { txidHex: txid.toString('hex'), index };
  });
  return { tip: { height: tip.height, hashHex: tip.hashHex }, coins, bytes, inputs, spendable };
}

/** Writes the chain in a process of its own, so that its memory is free afterwards. */
export async function writeCoinChain(file: string, wanted: number): Promise<CoinChain> {
  const child = spawn(process.execPath, [import.meta.filename, file, String(wanted)], { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  for await (const piece of child.stdout) text += piece;
  return JSON.parse(text);
}

if (process.argv[1] === import.meta.filename) {
  process.stdout.write(JSON.stringify(writeHere(process.argv[2]!, Number(process.argv[3]))));
}
