// Walks over all coins at one block, unaffected by later changes of the chain.

import { type CoinScanner, InlineCoinScanner } from '../../parallel/coin-scanner.js';
import type { StoreCursor } from '../../storage/store.js';
import type { Changes } from '../changes.js';
import type { CoinsStats } from '../connect/outcome.js';
import type { ChainWorkspace } from '../connect/workspace.js';
import type { Persister } from '../files/persister.js';
import type { HeaderNode } from '../tree/header-node.js';
import { type DumpedCoins, type DumpForm, dumpCoins } from './coins-dump.js';
import { sumCoins } from './coins-stats.js';
import { type CoinVisitor, walkCoins } from './walk-coins.js';

export class PinnedCoins {
  readonly #ws: ChainWorkspace;
  readonly #changes: Changes;
  readonly #persister: Persister;
  readonly #scanner: CoinScanner;
  #dumping = false;

  constructor(ws: ChainWorkspace, changes: Changes, persister: Persister, scanner: CoinScanner = new InlineCoinScanner()) {
    this.#ws = ws;
    this.#changes = changes;
    this.#persister = persister;
    this.#scanner = scanner;
  }

  /** Writes all pending coins, then opens a cursor over exactly the coins at the tip. */
  #pin(): Promise<{ cursor: StoreCursor; tip: HeaderNode }> {
    return this.#changes.change(async (reply) => {
      await this.#persister.flush();
      // Open the cursor before the next change.
      reply({ cursor: this.#ws.store.cursor(this.#ws.space.coins), tip: this.#ws.active.tip as HeaderNode });
    });
  }

  /** See Chain.coinsStats. */
  async stats(options: { hashSerialized: 2 | 3 | null; muhash?: boolean }): Promise<CoinsStats> {
    const { gte, lt } = this.#ws.space.coins;
    const { cursor, tip } = await this.#pin();
    const diskSize = await this.#ws.store.approximateSize(gte, lt);
    const hashing = { hashes: this.#ws.crypto, serialized: options.hashSerialized, muhash: options.muhash === true };
    return sumCoins(cursor, tip, hashing, diskSize, () => this.#ws.stopping());
  }

  /** See Chain.dumpCoins. */
  async dump(path: string, form: DumpForm['form']): Promise<({ tip: HeaderNode } & DumpedCoins) | null> {
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

  /** See Chain.walkCoins. */
  async walk(visitor: CoinVisitor): Promise<{ tip: HeaderNode; complete: boolean }> {
    const { cursor, tip } = await this.#pin();
    return { tip, complete: await this.#changes.readConcurrently(() => walkCoins(cursor, visitor, this.#scanner)) };
  }
}
