// The comparison's record of the chain it has made: its blocks, the confirmed coins, and every transaction by its id.
import { type Block, buildBlock, type Coin, type Made, type Twist } from './coins.js';

const MATURITY = 100;
/** In satoshis. Coins of a smaller value leave hardly any choice of fees. */
const LEAST_VALUE = 100_000;

export class Ledger {
  readonly blocks: Block[] = [];
  /** Every block that was ever made, by its hash. */
  readonly #known = new Map<string, Block>();
  readonly made = new Map<string, Made>();
  /** Ids of all transactions ever made. */
  readonly ids: string[] = [];
  /** Coins that are confirmed and that no block spends. Coinbases are included when they are mature. */
  readonly coins = new Map<string, Coin>();
  #list: readonly Coin[] | undefined;
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

  /** Moves the clock forward. @returns the new time, in seconds */
  wait(seconds = 30): number {
    this.#time += seconds;
    return this.#time;
  }

  keep(tx: Made): void {
    if (!this.made.has(tx.id)) this.ids.push(tx.id);
    this.made.set(tx.id, tx);
  }

  /** Time of the last block or later, in seconds. */
  get time(): number {
    return this.#time;
  }

  /** Lower bound of the time of a block on the tip (BIP-0113). */
  medianTime(): number {
    const times = this.blocks.slice(-11).map(({ time }) => time);
    return times.sort((a, b) => a - b)[Math.floor(times.length / 2)]!;
  }

  /** Builds a block on the tip, or on another block. The ledger does not connect it. */
  next(txs: readonly Made[], coins: number, twist?: Twist, on?: Block): Block {
    this.#time += 60;
    const block = buildBlock(on?.hash ?? this.tip, (on?.height ?? this.height) + 1, this.#time, txs, coins, twist);
    this.#known.set(block.hash, block);
    return block;
  }

  connect(block: Block): void {
    this.blocks.push(block);
    const mature = this.blocks[this.blocks.length - MATURITY]?.coinbase.coins ?? [];
    for (const coin of [...block.txs.flatMap(({ coins }) => coins), ...mature]) this.coins.set(coin.outpoint, coin);
    for (const { spent } of block.txs) for (const { outpoint } of spent) this.coins.delete(outpoint);
    this.#list = undefined;
  }

  /** Changes to another tip, because bitcoind may have refused a block or chosen one of two branches with equal work. */
  follow(tip: string): void {
    if (tip === this.tip) return;
    const coming: Block[] = [];
    for (let block = this.#known.get(tip); block !== undefined && !this.blocks.includes(block); block = this.#known.get(block.prev)) {
      coming.unshift(block);
    }
    const fork = coming[0]?.prev ?? tip;
    while (this.tip !== fork) this.disconnect();
    for (const block of coming) this.connect(block);
  }

  /** Disconnects the tip. */
  disconnect(): Block {
    const mature = this.blocks[this.blocks.length - MATURITY]?.coinbase.coins ?? [];
    const block = this.blocks.pop();
    if (block === undefined) throw new Error('there is no block to take off');
    // Coins that the block itself made are deleted below.
    for (const { spent } of block.txs) for (const coin of spent) this.coins.set(coin.outpoint, coin);
    for (const { outpoint } of [...block.txs.flatMap(({ coins }) => coins), ...mature]) this.coins.delete(outpoint);
    this.#list = undefined;
    return block;
  }

  /** The coins that are worth spending. */
  get spendable(): readonly Coin[] {
    this.#list ??= [...this.coins.values()].filter(({ value }) => value > LEAST_VALUE);
    return this.#list;
  }
}
