// -coinstatsindex: sums and MuHash of all coins after every block, so that gettxoutsetinfo answers for any height
// immediately. Rows are keyed by block hash. They stay when their block leaves the active chain. Source: Core's
// index/coinstatsindex.cpp; the sums of unspendable amounts equal Core's to the satoshi.

import type { HeaderNode } from '../chain/index.js';
import type { BlockView } from '../consensus/block/block-view.js';
import { equalBytes, hashFromHex } from '../consensus/bytes/hex.js';
import { type Coin, isUnspendable } from '../consensus/coin.js';
import type { ChainParams } from '../consensus/params/chain-params.js';
import { blockSubsidy } from '../consensus/rules/subsidy.js';
import type { TxView } from '../consensus/tx/tx-view.js';
import type { Hashes } from '../crypto/crypto.js';
import { MuHash } from '../crypto/muhash.js';
import { TimeSlice } from '../lib/time-slice.js';
import { bogoSizeOf, coinElement } from '../storage/codec/coin-element.js';
import { coinStatsKey, PREFIX, prefixRange } from '../storage/layout.js';
import type { BatchOp, Store } from '../storage/store.js';
import { type CoinTotals, decodeCoinStats, encodeCoinStats, noCoins } from './coin-stats-row.js';
import type { IndexKind } from './follower.js';

/** Two mainnet blocks whose coinbases were overwritten by identical later ones while unspent, before BIP-0030. */
const OVERWRITTEN = [
  '00000000000271a2dc26e7667f8419f2e15416dc6955e5a6c6cdf3f2574dd08e',
  '00000000000af0aed4792b1acee3d966af36cf5def14935db8de83d6f9306f2f',
].map((hex) => hashFromHex(hex));

/** Figures of the coins after a block, and before the block. */
export interface CoinStatsAt {
  readonly totals: CoinTotals;
  /** Figures of the coins before the block. */
  readonly before: CoinTotals;
  /** MuHash, 32 bytes. Core displays the bytes in reverse order. */
  readonly muhash: Uint8Array;
}

export class CoinStatsIndex implements IndexKind {
  readonly name = 'coinstatsindex';
  readonly rows = prefixRange(PREFIX.coinStats);
  readonly needsUndo = true;
  #set: MuHash;
  /** Sums after the last connected block; null if the sums must be read from the block's row. */
  #totals: CoinTotals | null = null;
  readonly #params: ChainParams;
  readonly #store: Store;
  readonly #hashes: Hashes;

  constructor(params: ChainParams, store: Store, hashes: Hashes) {
    this.#params = params;
    this.#store = store;
    this.#hashes = hashes;
    this.#set = new MuHash(hashes);
  }

  restore(state: Uint8Array | null): boolean {
    const set = state === null ? new MuHash(this.#hashes) : MuHash.decode(state, this.#hashes);
    if (set === null) return false;
    this.#set = set;
    this.#totals = null;
    return true;
  }
  state(): Uint8Array {
    return this.#set.encode();
  }

  async connect(node: HeaderNode, block: BlockView, spent: readonly (readonly Coin[])[]): Promise<BatchOp[]> {
    const totals = { ...(this.#totals ?? (await this.#totalsAfter(node.prev))) };
    const subsidy = BigInt(blockSubsidy(node.height, this.#params));
    totals.subsidy += subsidy;
    if (node.height === 0) {
      totals.unspendable += subsidy;
      totals.unspendableGenesis += subsidy;
    } else {
      await this.#connectTransactions(node, block, spent, totals, subsidy);
      const created = totals.newOutputsExCoinbase + totals.coinbase + totals.unspendable;
      const unclaimed = totals.prevoutSpent + totals.subsidy - created;
      totals.unspendable += unclaimed;
      totals.unclaimedRewards += unclaimed;
    }
    this.#totals = totals;
    return [{ type: 'put', key: coinStatsKey(node.hash), value: encodeCoinStats(totals, this.#set.digest()) }];
  }

  async #connectTransactions(
    node: HeaderNode,
    block: BlockView,
    spent: readonly (readonly Coin[])[],
    totals: CoinTotals,
    subsidy: bigint,
  ): Promise<void> {
    const slice = new TimeSlice();
    for (let t = 0; t < block.txs.length; t++) {
      const tx = block.txs[t] as TxView;
      if (t === 0 && isOverwritten(node)) {
        totals.unspendable += subsidy;
        totals.unspendableBip30 += subsidy;
        continue;
      }
      for (let o = 0; o < tx.outputCount; o++) {
        this.#addOutput(tx, o, { value: tx.outputValue(o), script: tx.outputScript(o), height: node.height, coinbase: t === 0 }, totals);
        if (slice.over) await slice.next();
      }
      const coins = t === 0 ? [] : (spent[t - 1] ?? []);
      for (let i = 0; i < coins.length; i++) {
        const coin = coins[i] as Coin;
        this.#set.remove(coinElement(tx.outpoint(i), coin));
        totals.prevoutSpent += BigInt(coin.value);
        totals.outputs--;
        totals.amount -= BigInt(coin.value);
        totals.bogoSize -= bogoSizeOf(coin.script);
        if (slice.over) await slice.next();
      }
    }
  }

  #addOutput(tx: TxView, index: number, coin: Coin, totals: CoinTotals): void {
    const value = BigInt(coin.value);
    if (isUnspendable(coin.script)) {
      totals.unspendable += value;
      totals.unspendableScripts += value;
      return;
    }
    this.#set.insert(coinElement(outpointOf(tx.txid, index), coin));
    if (coin.coinbase) totals.coinbase += value;
    else totals.newOutputsExCoinbase += value;
    totals.outputs++;
    totals.amount += value;
    totals.bogoSize += bogoSizeOf(coin.script);
  }

  async disconnect(node: HeaderNode, block: BlockView, spent: readonly (readonly Coin[])[]): Promise<BatchOp[]> {
    const slice = new TimeSlice();
    // Genesis needs no exception here: it is never disconnected, although its output is not a coin.
    for (let t = block.txs.length - 1; t >= 0; t--) {
      const tx = block.txs[t] as TxView;
      const coins = t === 0 ? [] : (spent[t - 1] ?? []);
      for (let i = 0; i < coins.length; i++) {
        this.#set.insert(coinElement(tx.outpoint(i), coins[i] as Coin));
        if (slice.over) await slice.next();
      }
      if (t === 0 && isOverwritten(node)) continue;
      for (let o = 0; o < tx.outputCount; o++) {
        const script = tx.outputScript(o);
        if (isUnspendable(script)) continue;
        const coin = { value: tx.outputValue(o), script, height: node.height, coinbase: t === 0 };
        this.#set.remove(coinElement(outpointOf(tx.txid, o), coin));
        if (slice.over) await slice.next();
      }
    }
    this.#totals = null;
    return [];
  }

  async #totalsAfter(node: HeaderNode | null): Promise<CoinTotals> {
    if (node === null) return noCoins();
    const row = await this.#store.get(coinStatsKey(node.hash));
    if (row === undefined) throw new Error(`The coin statistics of block ${node.hashHex} are missing`);
    return decodeCoinStats(row).totals;
  }

  /** Returns the figures after a block; undefined if the index has not reached it. */
  async find(node: { readonly hash: Uint8Array; readonly prev: { readonly hash: Uint8Array } | null }): Promise<CoinStatsAt | undefined> {
    const row = await this.#store.get(coinStatsKey(node.hash));
    if (row === undefined) return undefined;
    const earlier = node.prev === null ? undefined : await this.#store.get(coinStatsKey(node.prev.hash));
    const before = earlier === undefined ? noCoins() : decodeCoinStats(earlier).totals;
    return { ...decodeCoinStats(row), before };
  }
}

const isOverwritten = (node: HeaderNode): boolean => OVERWRITTEN.some((hash) => equalBytes(hash, node.hash));

function outpointOf(txid: Uint8Array, index: number): Uint8Array {
  const outpoint = new Uint8Array(36);
  outpoint.set(txid);
  new DataView(outpoint.buffer).setUint32(32, index, true);
  return outpoint;
}
