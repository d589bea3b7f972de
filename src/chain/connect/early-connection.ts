// Connects a block on the tip in parallel with the block's own checks and with writing the block to its file, so that
// script threads have work at once. The early connection changes nothing and runs concurrently with the chain's queue.
// The queued change uses its result if the block passed its checks and the tip is still the block's parent. If the
// early connection fails, the block is connected normally. See docs/decisions/0012-connect-early.md.

import type { BlockView } from '../../consensus/block/block-view.js';
import { equalBytes } from '../../consensus/bytes/hex.js';
import { MAX_BLOCK_WEIGHT } from '../../consensus/limits.js';
import { checkProofOfWork } from '../../consensus/rules/check-block.js';
import { checkHeaderContext } from '../../consensus/rules/check-header-context.js';
import { StopFlag } from '../../parallel/stop-flag.js';
import { type HeaderNode, NodeStatus } from '../tree/header-node.js';
import { lastCheckpointHeight } from './accept.js';
import { type Connection, readSpentCoins, tryConnect } from './connect-block.js';
import type { ChainWorkspace } from './workspace.js';

/** A running early connection. */
export interface EarlyConnection {
  /**
   * Returns the result, with the block's coins in memory. Null if the tip changed, the connection was cancelled, or it
   * failed.
   * @throws StoreError
   */
  takeResult(): Promise<Connection | null>;
  /** Stops the connection. Resolves when all of its work has ended. */
  cancelConnection(): Promise<void>;
}

export class EarlyConnections {
  /**
   * The running early connection. Only one runs at a time, because another one (for a copy of the block or a competing
   * block) would take threads from it.
   */
  #current: EarlyConnection | null = null;
  readonly #ws: ChainWorkspace;

  constructor(ws: ChainWorkspace) {
    this.#ws = ws;
  }

  /**
   * Starts to connect a block if it extends the tip, is not too large, has proof of work, and has scripts to run.
   * @param block the facts of transactions known to the mempool must be set
   * @param identified resolves when the block's ids are computed; undefined: ids are computed when needed
   */
  beginConnection(block: BlockView, identified: Promise<void> | undefined): EarlyConnection | null {
    const tip = this.#ws.active.tip as HeaderNode;
    if (this.#current !== null || !this.#fits(block, tip)) return null;
    const { coins } = this.#ws;
    const { evictionEpoch } = coins;
    const stop = new StopFlag();
    let moved = false;
    // Returns false permanently once it has returned false: if the tip changes and comes back, an abandoned lookup must
    // not continue.
    const stillValid = (): boolean => {
      moved ||= this.#ws.active.tip !== tip || stop.raised;
      return !moved;
    };
    const result = tryConnect(this.#ws, block, tip, { klass: 'block', scripts: true, overlay: null, stillValid, stop, identified })
      .catch(() => null)
      .finally(() => {
        this.#current = null;
      });
    const current: EarlyConnection = {
      takeResult: async () => {
        const connection = await result;
        // Coins may have been evicted since they were looked up. Read them again.
        if (connection !== null && coins.evictionEpoch !== evictionEpoch) await readSpentCoins(this.#ws, block);
        return connection;
      },
      cancelConnection: async () => {
        stop.raise();
        await result;
      },
    };
    this.#current = current;
    return current;
  }

  #fits(block: BlockView, tip: HeaderNode): boolean {
    const { params, index, clock, versionBits } = this.#ws;
    const { header } = block;
    if (!equalBytes(header.prevHash, tip.hash) || block.weight > MAX_BLOCK_WEIGHT) return false;
    if (!block.txs.some((tx, i) => i > 0 && tx.facts === null)) return false;
    const known = index.get(header.hash);
    if (known !== undefined && (known.failed || known.has(NodeStatus.HAVE_DATA))) return false;
    const checkpoint = lastCheckpointHeight(this.#ws);
    const wrong = checkProofOfWork(header, params) ?? checkHeaderContext(header, tip, params, clock.nowSeconds(), checkpoint, versionBits);
    return wrong === null;
  }

  /** Stops the running connection, if any. */
  async close(): Promise<void> {
    await this.#current?.cancelConnection();
  }
}
