// Reads coins at the tip: single coins, and walks over all coins that later changes of the chain do not affect.

import type { Coin } from '../../consensus/coin.js';
import { outpointOfCoinKey, type PrefixRange } from '../../storage/layout.js';
import type { StoreCursor } from '../../storage/store.js';
import type { ChainWorkspace } from '../connect/workspace.js';
import type { ChainParts } from '../parts.js';
import type { HeaderNode } from '../tree/header-node.js';
import { type DumpedCoins, type DumpForm, dumpCoins } from './coins-dump.js';

/** The coins at one tip, which later changes do not affect once a cursor over them is open. */
export interface PinnedCoins {
  readonly tip: HeaderNode;
  /** Rows of the coins in the database. */
  readonly range: PrefixRange;
  /** Opens a cursor over them. */
  cursor(): StoreCursor;
}

export class CoinReader {
  readonly #ws: ChainWorkspace;
  readonly #parts: ChainParts;
  #dumping = false;

  constructor(ws: ChainWorkspace, parts: ChainParts) {
    this.#ws = ws;
    this.#parts = parts;
  }

  /** Budget of the coins cache in bytes (-dbcache). */
  get coinsCacheBytes(): number {
    return this.#ws.coins.budgetBytes;
  }

  /**
   * Returns an unspent output at the tip.
   * @param outpoint 36 bytes: txid, then vout little-endian
   */
  async coin(outpoint: Uint8Array): Promise<Coin | undefined> {
    return (await this.coinsAt([outpoint]))[0];
  }

  /**
   * Returns unspent outputs at the tip, in the order of the outpoints.
   * @param outpoints 36 bytes each; a few hundred at most, because they are looked up without a pause
   */
  async coinsAt(outpoints: readonly Uint8Array[]): Promise<(Coin | undefined)[]> {
    return (await this.coinsAtTip(outpoints)).coins;
  }

  /** Returns unspent outputs at the tip together with that tip. */
  coinsAtTip(outpoints: readonly Uint8Array[]): Promise<{ tip: HeaderNode; coins: (Coin | undefined)[] }> {
    return this.#parts.changes.readConcurrently(async () => {
      await this.#ws.coins.prefetch(outpoints);
      return { tip: this.#ws.active.tip as HeaderNode, coins: outpoints.map((outpoint) => this.#ws.coins.get(outpoint)) };
    });
  }

  /**
   * Returns any unspent output of a transaction. Writes pending coins first.
   * @param txid internal order
   */
  async anyCoinOf(txid: Uint8Array): Promise<Coin | undefined> {
    const cursor = await this.#pinRange(
      () => this.#ws.space.ofTx(txid),
      (coins) => coins.cursor(),
    );
    try {
      for (let rows = await cursor.next(); rows.length > 0; rows = await cursor.next()) {
        for (const [key] of rows) {
          const coin = await this.coin(outpointOfCoinKey(key));
          if (coin !== undefined) return coin;
        }
      }
    } finally {
      await cursor.close();
    }
    return undefined;
  }

  /**
   * Writes all pending coins, then calls `open` before the next change, and delays that change until `open` is done.
   * @param open must open its cursor quickly; its error is only passed to the caller
   */
  pin<T>(open: (coins: PinnedCoins) => T | Promise<T>): Promise<T> {
    return this.#pinRange(() => this.#ws.space.coins, open);
  }

  async #pinRange<T>(rangeOf: () => PrefixRange, open: (coins: PinnedCoins) => T | Promise<T>): Promise<T> {
    const opened = await this.#parts.changes.change<{ readonly done: Promise<T> }>(async (reply) => {
      await this.#parts.activator.writeTipChanges();
      await this.#parts.persister.flush();
      const range = rangeOf();
      const done = (async () => open({ tip: this.#ws.active.tip as HeaderNode, range, cursor: () => this.#ws.store.cursor(range) }))();
      await done.catch(() => {});
      reply({ done });
    });
    return opened.done;
  }

  /**
   * Runs work that reads the database. Its StoreError is a fault of the chain.
   */
  readDatabase<T>(work: () => Promise<T>): Promise<T> {
    return this.#parts.changes.readConcurrently(work);
  }

  /** Estimates the bytes of the coins in the database. */
  diskSize(): Promise<number> {
    const { gte, lt } = this.#ws.space.coins;
    return this.#ws.store.approximateSize(gte, lt);
  }

  /**
   * Writes all coins at the current tip to a new file (dumptxoutset). The chain may change during the dump without
   * affecting the file.
   * @param form file format, named by the release of Core that introduced it
   * @returns the block of these coins and their number; null if another dump is running
   * @throws DumpStoppedError if the node stops; otherwise the system's error
   */
  async dumpCoins(path: string, form: DumpForm['form']): Promise<({ tip: HeaderNode } & DumpedCoins) | null> {
    if (this.#dumping) return null;
    this.#dumping = true;
    try {
      const { cursor, tip } = await this.pin((coins) => ({ cursor: coins.cursor(), tip: coins.tip }));
      const { params, crypto: hashes } = this.#ws;
      const whole: DumpForm = form === '28' ? { form, magic: params.magic, hashes } : { form };
      return { tip, ...(await dumpCoins(cursor, tip, path, whole, () => this.#ws.stopping())) };
    } finally {
      this.#dumping = false;
    }
  }
}
