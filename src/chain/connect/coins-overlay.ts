// Coins as they would be after changes that are not applied. Reorganisations are checked on an overlay completely
// before anything changes, and proposals without changing anything. This file also connects and disconnects a block's
// coins, in an overlay or in the cache.

import type { BlockView } from '../../consensus/block/block-view.js';
import { equalBytes, hashKey } from '../../consensus/bytes/hex.js';
import { writeU32 } from '../../consensus/bytes/writer.js';
import { type Coin, type CoinView, isUnspendable, isUnspendableOutput } from '../../consensus/coin.js';
import type { TxView } from '../../consensus/tx/tx-view.js';
import { OUTPOINT_BYTES } from '../../storage/layout.js';

/** Changes that blocks make to a set of coins. CoinsCache and CoinsOverlay implement it. */
export interface CoinSet {
  spend(outpoint: Uint8Array): Coin | undefined;
  /**
   * Like `spend`, for callers that have the coin already.
   * @param at offset of the outpoint's 36 bytes
   */
  remove(bytes: Uint8Array, at: number): void;
  /** @param options.possibleOverwrite the coin may exist already */
  add(outpoint: Uint8Array, coin: Coin, options?: { possibleOverwrite?: boolean }): void;
  /** Adds an output of a transaction. It must be spendable. */
  addOutput(
    outpoint: Uint8Array,
    tx: TxView,
    output: number,
    height: number,
    coinbase: boolean,
    options?: { possibleOverwrite?: boolean },
  ): void;
}

/** Changes of coins on top of another view. */
export class CoinsOverlay implements CoinView, CoinSet {
  readonly #changes = new Map<string, Coin | null>();
  readonly #base: CoinView;

  constructor(base: CoinView) {
    this.#base = base;
  }

  get(outpoint: Uint8Array): Coin | undefined {
    const changed = this.#changes.get(hashKey(outpoint));
    return changed === undefined ? this.#base.get(outpoint) : (changed ?? undefined);
  }

  /** Returns whether the overlay knows the state of an outpoint, so that the base view is not needed. */
  has(outpoint: Uint8Array): boolean {
    return this.#changes.has(hashKey(outpoint));
  }

  spend(outpoint: Uint8Array): Coin | undefined {
    const coin = this.get(outpoint);
    this.remove(outpoint, 0);
    return coin;
  }

  remove(bytes: Uint8Array, at: number): void {
    this.#changes.set(hashKey(bytes.subarray(at, at + OUTPOINT_BYTES)), null);
  }

  add(outpoint: Uint8Array, coin: Coin): void {
    this.#changes.set(hashKey(outpoint), coin);
  }

  addOutput(outpoint: Uint8Array, tx: TxView, output: number, height: number, coinbase: boolean): void {
    this.add(outpoint, { value: tx.outputValue(output), script: tx.outputScript(output), height, coinbase });
  }
}

/** Builds outpoints in one array, which the next call overwrites. Callers that keep an outpoint must copy it. */
export class OutpointOf {
  readonly bytes = new Uint8Array(36);

  /** @param txid internal order */
  set(txid: Uint8Array, index: number): Uint8Array {
    this.bytes.set(txid, 0);
    writeU32(this.bytes, 32, index);
    return this.bytes;
  }
}

/** Number of coins between two yields. */
const SLICE_COINS = 512;

const NEW: { readonly possibleOverwrite: boolean } = { possibleOverwrite: false };
const PERHAPS_THERE: { readonly possibleOverwrite: boolean } = { possibleOverwrite: true };

/** Spends a block's inputs and adds its outputs, yielding regularly. The block must have passed all checks before. */
export function* connectCoins(coins: CoinSet, block: BlockView, height: number): Generator<void, void> {
  const outpoint = new OutpointOf();
  let handled = 0;
  for (let t = 0; t < block.txs.length; t++) {
    const tx = block.txs[t] as TxView;
    const coinbase = t === 0;
    for (let i = coinbase ? tx.inputCount : 0; i < tx.inputCount; i++) {
      coins.remove(tx.buffer, tx.outpointAt(i));
      if (++handled % SLICE_COINS === 0) yield;
    }
    for (let o = 0; o < tx.outputCount; o++) {
      if (++handled % SLICE_COINS === 0) yield;
      if (isUnspendableOutput(tx, o)) continue;
      // A coinbase may repeat an old one (BIP-0030). All other transactions are new because of their inputs.
      coins.addOutput(outpoint.set(tx.txid, o), tx, o, height, coinbase, coinbase ? PERHAPS_THERE : NEW);
    }
  }
}

/**
 * Undoes connectCoins, yielding regularly.
 * @param spent coins that the block spent, by transaction, without the coinbase
 * @returns false if the coins do not match the block: the database is corrupt
 */
export function* disconnectCoins(
  coins: CoinSet,
  block: BlockView,
  spent: readonly (readonly Coin[])[],
  height: number,
): Generator<void, boolean> {
  if (spent.length !== Math.max(block.txs.length - 1, 0)) return false;
  let clean = true;
  const outpoint = new OutpointOf();
  let handled = 0;
  for (let t = block.txs.length - 1; t >= 0; t--) {
    const tx = block.txs[t] as TxView;
    for (let o = 0; o < tx.outputCount; o++) {
      if (++handled % SLICE_COINS === 0) yield;
      const script = tx.outputScript(o);
      if (isUnspendable(script)) continue;
      const coin = coins.spend(outpoint.set(tx.txid, o));
      // Compare the complete output, as in Core's DisconnectBlock.
      const same = coin !== undefined && coin.value === tx.outputValue(o) && equalBytes(coin.script, script);
      if (!same || coin.height !== height || coin.coinbase !== (t === 0)) clean = false;
    }
    if (t === 0) continue;
    const restored = spent[t - 1] as readonly Coin[];
    if (restored.length !== tx.inputCount) return false;
    for (let i = tx.inputCount - 1; i >= 0; i--) {
      coins.add(tx.outpoint(i), restored[i] as Coin, { possibleOverwrite: true });
      if (++handled % SLICE_COINS === 0) yield;
    }
  }
  return clean;
}

/** Yields the outpoints of the coins that a block creates, at most `most` at a time. The outpoints of one list are views of one buffer. */
export function* outpointsCreated({ txs }: BlockView, most: number): Generator<Uint8Array[], void> {
  const outpoint = new OutpointOf();
  let left = txs.reduce((sum, { outputCount }) => sum + outputCount, 0);
  let buffer = new Uint8Array(0);
  let outpoints: Uint8Array[] = [];
  for (const tx of txs) {
    for (let o = 0; o < tx.outputCount; o++, left--) {
      // Unspendable outputs are never stored as coins.
      if (isUnspendableOutput(tx, o)) continue;
      if (outpoints.length === 0) buffer = new Uint8Array(OUTPOINT_BYTES * Math.min(left, most));
      const at = OUTPOINT_BYTES * outpoints.length;
      buffer.set(outpoint.set(tx.txid, o), at);
      if (outpoints.push(buffer.subarray(at, at + OUTPOINT_BYTES)) < most) continue;
      yield outpoints;
      outpoints = [];
    }
  }
  if (outpoints.length > 0) yield outpoints;
}
