// Naive models of the chain for tests of the consensus rules: header nodes in a linked list, coins in a Map. They are
// simple enough to be checked by reading.

import type { BlockView } from '../../src/consensus/block/block-view.js';
import type { HeaderView } from '../../src/consensus/block/header-view.js';
import { type Coin, type CoinView, isUnspendable } from '../../src/consensus/coin.js';
import type { HeaderContext } from '../../src/consensus/header-context.js';

/** A header with its ancestors. */
export class ModelNode implements HeaderContext {
  readonly height: number;

  constructor(
    readonly prev: ModelNode | null,
    readonly time: number,
    readonly bits: number,
    readonly version: number,
    readonly hash: Uint8Array,
    height?: number,
  ) {
    this.height = height ?? (prev === null ? 0 : prev.height + 1);
  }

  /** Returns the child of `prev` with a parsed header. */
  static of(prev: ModelNode | null, header: HeaderView, height?: number): ModelNode {
    return new ModelNode(prev, header.time, header.bits, header.version, header.hash, height);
  }

  medianTimePast(): number {
    const times: number[] = [];
    let node: ModelNode | null = this;
    while (node !== null && times.length < 11) {
      times.push(node.time);
      node = node.prev;
    }
    return times.sort((a, b) => a - b)[Math.floor(times.length / 2)];
  }

  ancestor(height: number): ModelNode | null {
    if (height < 0 || height > this.height) return null;
    let node: ModelNode | null = this;
    while (node !== null && node.height > height) node = node.prev;
    return node;
  }
}

/** Unspent outputs by hex of their outpoint. */
export class ModelCoins implements CoinView {
  readonly map = new Map<string, Coin>();

  get(outpoint: Uint8Array): Coin | undefined {
    return this.map.get(Buffer.from(outpoint).toString('hex'));
  }

  set(txid: Uint8Array, index: number, coin: Coin): void {
    const outpoint = Buffer.alloc(36);
    outpoint.set(txid);
    outpoint.writeUInt32LE(index, 32);
    this.map.set(outpoint.toString('hex'), coin);
  }

  /** Applies a valid block: removes the coins that it spends, and adds those that it creates. */
  apply(block: BlockView, height: number): void {
    block.txs.forEach((tx, i) => {
      for (let k = 0; i > 0 && k < tx.inputCount; k++) this.map.delete(Buffer.from(tx.outpoint(k)).toString('hex'));
      for (let k = 0; k < tx.outputCount; k++) {
        const script = tx.outputScript(k);
        if (!isUnspendable(script)) this.set(tx.txid, k, { value: tx.outputValue(k), script, height, coinbase: i === 0 });
      }
    });
  }
}
