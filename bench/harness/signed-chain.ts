// Makes a chain of many small blocks full of signed payments, the input of an initial block download. The chain is made
// once and stays in the temporary folder. The file contains whole `block` messages, so that block-server.ts only copies
// bytes.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { buildBlock, GENESIS } from '../../test/framework/chain-builder.js';
import { type Out, type Tx, txid } from '../../test/framework/messages.js';
import { framed } from '../../test/framework/p2p-client.js';
import { pseudoRandom } from '../../test/framework/pseudo-random.js';
import { INPUT_VALUE, SPEND_KINDS } from '../../test/framework/signed-spends.js';
import { KEYS, type OwnedCoin, Owners } from './owners.js';

/** Version of the files. Increase it when their content changes; files of other versions are ignored. */
const VERSION = 4;
/** Depth at which a coinbase can be spent. Each of the first blocks creates coins, as many as its subsidy pays for. */
const RIPE = 100;
/**
 * Number of blocks before the first payment. By then all first coins can be spent, which is enough for blocks with
 * thousands of inputs.
 */
export const UNPAID = 2 * RIPE;
const FIRST_COINS = 300;
const INPUTS_PER_TX = 2;
/** A time long ago, so that the node is in the initial block download. */
const START_TIME = 1_400_000_000;
const SPACING = 600;

/** Facts of a chain, stored next to its file. */
export interface SignedChain {
  readonly file: string;
  /** Height of the last block. */
  readonly blocks: number;
  /** Signed inputs, a third of each kind of SPEND_KINDS. */
  readonly inputs: number;
  readonly txs: number;
  readonly bytes: number;
}

interface PlacedCoin extends OwnedCoin {
  readonly txid: Buffer;
  readonly index: number;
}

/**
 * Returns the chain with this number of blocks and inputs: from the temporary folder, or made now, which takes about a
 * minute.
 */
export function signedChain(blocks: number, inputs: number): SignedChain {
  const file = path.join(os.tmpdir(), `adit-bench-signed-${VERSION}-${blocks}-${inputs}-${KEYS}.dat`);
  const facts = `${file}.json`;
  if (fs.existsSync(facts)) return JSON.parse(fs.readFileSync(facts, 'utf8')) as SignedChain;
  const chain = write(file, blocks, inputs);
  fs.writeFileSync(`${facts}.new`, JSON.stringify(chain));
  // Write the facts last. A file without facts was not completed.
  fs.renameSync(`${facts}.new`, facts);
  return chain;
}

function write(file: string, blocks: number, wanted: number): SignedChain {
  const random = pseudoRandom(7);
  const owners = new Owners();
  /** Spendable coins by kind. */
  const pools: PlacedCoin[][] = SPEND_KINDS.map(() => []);
  const out = fs.openSync(file, 'w');
  /** Txids of the coinbases that created the first coins. */
  const sources: Buffer[] = [];
  let tip = GENESIS;
  let [inputs, txs, bytes, serial, payments] = [0, 0, 0, 0, 0];
  const newOuts = (count: number, kindOf: (i: number) => number): { outs: Out[]; owners: number[] } => {
    const list = Array.from({ length: count }, () => serial++);
    return { outs: list.map((owner, i) => ({ value: INPUT_VALUE, script: owners.script(SPEND_KINDS[kindOf(i)]!, owner) })), owners: list };
  };
  const take = (pool: PlacedCoin[]): PlacedCoin => {
    const at = Math.floor(random() * pool.length);
    const coin = pool[at]!;
    pool[at] = pool[pool.length - 1]!;
    pool.pop();
    return coin;
  };
  while (tip.height < blocks) {
    const height = tip.height + 1;
    const list: Tx[] = [];
    // Each of these blocks has the same share of all inputs.
    const due = Math.min(wanted, Math.ceil((wanted * (height - UNPAID)) / (blocks - UNPAID)));
    while (inputs < due) {
      const kindOfTx = payments++ % SPEND_KINDS.length;
      const count = Math.min(INPUTS_PER_TX, wanted - inputs);
      const coins = Array.from({ length: count }, () => take(pools[kindOfTx]!));
      const made = newOuts(count, () => kindOfTx);
      const tx: Tx = { version: 2, ins: coins.map(({ txid: id, index }) => ({ txid: id, index })), outs: made.outs, locktime: 0 };
      owners.sign(tx, SPEND_KINDS[kindOfTx]!, coins);
      const id = txid(tx);
      for (const [index, owner] of made.owners.entries()) pools[kindOfTx]!.push({ txid: id, index, owner, value: INPUT_VALUE });
      list.push(tx);
      inputs += count;
    }
    const first = height <= RIPE ? newOuts(FIRST_COINS, (i) => i % SPEND_KINDS.length) : { outs: [], owners: [] };
    const fees = -INPUT_VALUE * first.outs.length;
    tip = buildBlock(tip, { txs: list, outs: first.outs, fees, time: START_TIME + SPACING * height });
    if (height <= RIPE) sources.push(tip.txids[0]!);
    const ripe = height + 1 - RIPE;
    if (ripe >= 1 && ripe <= RIPE) {
      // The outputs after the coinbase's reward are the coins. Their owners are numbered from block to block.
      for (let i = 0; i < FIRST_COINS; i++) {
        const coin = { txid: sources[ripe - 1]!, index: 1 + i, owner: (ripe - 1) * FIRST_COINS + i, value: INPUT_VALUE };
        pools[i % SPEND_KINDS.length]!.push(coin);
      }
    }
    const message = framed('block', tip.bytes);
    fs.writeSync(out, message);
    bytes += message.length;
    txs += 1 + list.length;
    // Drop the parent and the bytes, because each block would keep all blocks before it in memory.
    tip = { ...tip, prev: null, bytes: Buffer.alloc(0), txs: [] };
  }
  fs.closeSync(out);
  return { file, blocks, inputs, txs, bytes };
}
