// Reads coins at the tip: single coins, and walks over all coins that later changes of the chain do not affect.

import type { Coin } from '../../consensus/coin.js';
import { type CoinScanner, InlineCoinScanner } from '../../parallel/coin-scanner.js';
import { outpointOfCoinKey, type PrefixRange } from '../../storage/layout.js';
import type { StoreCursor } from '../../storage/store.js';
import type { CoinsStats } from '../connect/outcome.js';
import type { ChainWorkspace } from '../connect/workspace.js';
import type { ChainParts } from '../parts.js';
import type { HeaderNode } from '../tree/header-node.js';
import { type DumpedCoins, type DumpForm, dumpCoins } from './coins-dump.js';
import { sumCoins } from './coins-stats.js';
import { type CoinVisitor, walkCoins } from './walk-coins.js';

export class CoinReader {
  readonly #ws: ChainWorkspace;
  readonly #parts: ChainParts;
  readonly #scanner: CoinScanner;
  #dumping = false;

  /**
   * @param scanner scans coins on other threads; by default this thread scans them
   */
  constructor(ws: ChainWorkspace, parts: ChainParts, scanner: CoinScanner = new InlineCoinScanner()) {
    this.#ws = ws;
    this.#parts = parts;
    this.#scanner = scanner;
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
    const { cursor } = await this.#pin(() => this.#ws.space.ofTx(txid));
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
   * Writes all pending coins, then opens a cursor over exactly the coins at the tip.
   * @param range returns the range of the coins; by default all
   */
  #pin(range: () => PrefixRange = () => this.#ws.space.coins): Promise<{ cursor: StoreCursor; tip: HeaderNode }> {
    return this.#parts.changes.change(async (reply) => {
      await this.#parts.activator.writeTipChanges();
      await this.#parts.persister.flush();
      // Open the cursor before the next change.
      reply({ cursor: this.#ws.store.cursor(range()), tip: this.#ws.active.tip as HeaderNode });
    });
  }

  /**
   * Computes the figures of gettxoutsetinfo over all coins at the current tip, in time slices. Later changes of the
   * chain do not affect the result.
   */
  async coinsStats(options: { hashSerialized: 2 | 3 | null; muhash?: boolean }): Promise<CoinsStats> {
    const { gte, lt } = this.#ws.space.coins;
    const { cursor, tip } = await this.#pin();
    const diskSize = await this.#ws.store.approximateSize(gte, lt);
    const hashing = { hashes: this.#ws.crypto, serialized: options.hashSerialized, muhash: options.muhash === true };
    return sumCoins(cursor, tip, hashing, diskSize, () => this.#ws.stopping());
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
      const { cursor, tip } = await this.#pin();
      const { params, crypto: hashes } = this.#ws;
      const whole: DumpForm = form === '28' ? { form, magic: params.magic, hashes } : { form };
      return { tip, ...(await dumpCoins(cursor, tip, path, whole, () => this.#ws.stopping())) };
    } finally {
      this.#dumping = false;
    }
  }

  /**
   * Calls a visitor for every coin at the current tip that has one of the visitor's scripts. Later changes of the chain
   * do not affect the walk.
   * @returns the block of these coins, and whether all coins were visited
   */
  async walkCoins(visitor: CoinVisitor): Promise<{ tip: HeaderNode; complete: boolean }> {
    const { cursor, tip } = await this.#pin();
    return { tip, complete: await this.#parts.changes.readConcurrently(() => walkCoins(cursor, visitor, this.#scanner)) };
  }
}
