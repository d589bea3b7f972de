// What the comparison knows of the chain it has made: its blocks, the confirmed coins, and every transaction by its id.
import { type Block, buildBlock, type Coin, type Made, outpointOf } from './coins.js';

const MATURITY = 100;

export class Ledger {
  readonly blocks: Block[] = [];
  /** Every block that was ever made, by its hash. */
  readonly #known = new Map<string, Block>();
  readonly made = new Map<string, Made>();
  /** Confirmed and unspent by blocks; coinbases from their maturity on. */
  readonly coins = new Map<string, Coin>();
  readonly #genesis: string;
  #time: number;

  /** @param time of the first block, in seconds */
  constructor(genesis: string, time: number) {
    this.#genesis = genesis;
    this.#time = time;
  }

  get height(): number {
    return this.blocks.length;
  }

  get tip(): string {
    return this.blocks.at(-1)?.hash ?? this.#genesis;
  }

  /** Half a minute passes. @returns the time then */
  wait(): number {
    this.#time += 30;
    return this.#time;
  }

  /** A block on the tip; it is not connected here. */
  next(txs: readonly Made[], coins: number): Block {
    this.#time += 60;
    const block = buildBlock(this.tip, this.height + 1, this.#time, txs, coins);
    this.#known.set(block.hash, block);
    return block;
  }

  connect(block: Block): void {
    this.blocks.push(block);
    for (const { tx } of block.txs) for (const input of tx.ins) this.coins.delete(outpointOf(input));
    const mature = this.blocks[this.blocks.length - MATURITY]?.coinbase.coins ?? [];
    for (const coin of [...block.txs.flatMap(({ coins }) => coins), ...mature]) this.coins.set(outpointOf(coin), coin);
    // A coin made and spent in the same block was never there.
    for (const { tx } of block.txs) for (const input of tx.ins) this.coins.delete(outpointOf(input));
  }

  /** Goes to another tip: a block may have been refused, and of two branches of the same work one is chosen. */
  follow(tip: string): void {
    const coming: Block[] = [];
    for (let block = this.#known.get(tip); block !== undefined && !this.blocks.includes(block); block = this.#known.get(block.prev)) {
      coming.unshift(block);
    }
    const fork = coming[0]?.prev ?? tip;
    while (this.tip !== fork) this.disconnect();
    for (const block of coming) this.connect(block);
  }

  /** Takes the tip off. */
  disconnect(): Block {
    const mature = this.blocks[this.blocks.length - MATURITY]?.coinbase.coins ?? [];
    const block = this.blocks.pop();
    if (block === undefined) throw new Error('there is no block to take off');
    const own = new Set(block.txs.map(({ id }) => id));
    for (const coin of [...block.txs.flatMap(({ coins }) => coins), ...mature]) this.coins.delete(outpointOf(coin));
    for (const { tx } of block.txs) {
      for (const input of tx.ins) {
        const coin = this.coinOf(outpointOf(input));
        if (coin !== undefined && !own.has(outpointOf(input).slice(0, 64))) this.coins.set(outpointOf(input), coin);
      }
    }
    return block;
  }

  /** A coin of any transaction that was ever made. */
  coinOf(outpoint: string): Coin | undefined {
    const [id, index] = outpoint.split(':');
    const from = this.made.get(id!);
    return from?.coins.find((coin) => coin.index === Number(index));
  }
}
