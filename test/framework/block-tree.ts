// A tree of regtest blocks full of signed transactions that grows at random from a seed, with a model of the coins of
// each branch. Tests compare a node's replies with the model. The blocks are serialised and solved by test code alone.
import { type BuiltBlock, buildBlock, GENESIS } from './chain-builder.js';
import type { Tx } from './messages.js';
import { type Kind, kinds, MiniWallet, type Spendable, scriptFor } from './mini-wallet.js';

/** An unspent output of a branch. */
interface ModelCoin {
  readonly coin: Spendable;
  readonly height: number;
  readonly coinbase: boolean;
}

/** A block with the coins of the branch that ends in it. */
export interface TreeBlock extends BuiltBlock {
  readonly prev: TreeBlock;
  readonly coins: readonly ModelCoin[];
  /** Number of outputs without value that the coinbases of the branch have in addition. */
  readonly worthless: number;
}

const MATURITY = 100;
/** Least value of a coin that is spent. With less, an output of the spend could be dust. */
const MIN_VALUE = 100_000;
const FEE = 20_000;

/** The genesis block as the root of trees. Its output cannot be spent and is not counted. */
export const ROOT = { ...GENESIS, coins: [], worthless: 0 } as unknown as TreeBlock;

export class BlockTree {
  readonly #random: () => number;
  readonly #wallet = new MiniWallet();
  readonly #spacing: number;
  readonly #startTime: number;
  #tag = 1;

  /**
   * @param random see pseudo-random.ts
   * @param startTime time of the first block
   * @param spacing seconds between blocks
   */
  constructor(random: () => number, startTime: number, spacing = 1) {
    this.#random = random;
    this.#startTime = startTime;
    this.#spacing = spacing;
  }

  /** Returns a random number from 0 to n - 1. */
  pick(n: number): number {
    return Math.floor(this.#random() * n);
  }

  /**
   * Returns a child with up to this number of transactions, as far as the branch has coins for them.
   * @param extraCoins number of additional outputs of the coinbase, without value and never spent, so that the node has
   * more coins to write
   */
  grow(prev: TreeBlock, maxTransactions = 0, extraCoins = 0): TreeBlock {
    const height = prev.height + 1;
    const coins = [...prev.coins];
    const txs: Tx[] = [];
    const count = maxTransactions === 0 ? 0 : this.pick(maxTransactions + 1);
    for (let i = 0; i < count; i++) {
      const spent = this.#take(coins, height, 1 + this.pick(3));
      if (spent.length === 0) break;
      const into = Array.from({ length: 1 + this.pick(3) }, () => kinds[this.pick(kinds.length)] as Kind);
      const made = this.#wallet.spend(spent, into, FEE);
      txs.push(made.tx);
      for (const coin of made.outputs) coins.push({ coin, height, coinbase: false });
    }
    const kind = kinds[this.pick(kinds.length)] as Kind;
    const key = this.#wallet.key();
    const worthless = { value: 0, script: scriptFor('p2wpkh', key) };
    const block = buildBlock(prev, {
      txs,
      fees: txs.length * FEE,
      script: scriptFor(kind, key),
      outs: Array.from({ length: extraCoins }, () => worthless),
      time: prev === ROOT ? this.#startTime : prev.time + this.#spacing,
      tag: this.#tag++,
    });
    const value = block.txs[0]!.outs[0]!.value;
    coins.push({ coin: { txid: block.txids[0]!, index: 0, value, kind, key }, height, coinbase: true });
    return { ...block, prev, coins, worthless: prev.worthless + extraCoins };
  }

  /**
   * Returns a transaction that spends a confirmed coin of the branch, for the mempool. The model does not record the
   * spend.
   */
  payment(tip: TreeBlock): string | null {
    const spent = this.#take([...tip.coins], tip.height + 1, 1);
    return spent.length === 0 ? null : this.#wallet.spend(spent, ['p2wpkh', 'p2tr-key'], FEE).hex;
  }

  /** Removes coins that a block at this height may spend from the list, and returns them. */
  #take(coins: ModelCoin[], height: number, count: number): Spendable[] {
    const taken: Spendable[] = [];
    for (let tries = 0; tries < 8 && taken.length < count && coins.length > 0; tries++) {
      const at = this.pick(coins.length);
      const { coin, height: born, coinbase } = coins[at]!;
      const ripe = coinbase ? height - born >= MATURITY : coin.kind !== 'p2wsh-csv' || height > born;
      if (!ripe || coin.value < MIN_VALUE) continue;
      coins.splice(at, 1);
      taken.push(coin);
    }
    return taken;
  }
}

/** Computes the figures of gettxoutsetinfo from the model. */
export function expectedCoins(tip: TreeBlock): { txouts: number; sats: number } {
  return { txouts: tip.coins.length + tip.worthless, sats: tip.coins.reduce((sum, { coin }) => sum + coin.value, 0) };
}

/** Returns the blocks from the one after genesis to this one. */
export function branch(tip: TreeBlock): TreeBlock[] {
  const blocks: TreeBlock[] = [];
  for (let block = tip; block !== ROOT; block = block.prev) blocks.push(block);
  return blocks.reverse();
}
