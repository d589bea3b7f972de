// Connects a block on the tip while the same block is still checked by itself and written to its file: script threads
// have work at once, instead of after the merkle roots and the file. Changes nothing, like a proposal, and runs beside
// the chain's queue; the block's turn takes the result over when the block passed the rest and the tip is still its
// parent. Whatever goes wrong in here only means that the block is connected in its turn, as all others are.

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

/** A connection under way. */
export interface EarlyConnection {
  /**
   * The result in the block's turn, its coins in memory; null when the tip moved, when it was ended, and after an
   * error. @throws StoreError
   */
  takeResult(): Promise<Connection | null>;
  /** Ends what still runs; resolves when nothing does. */
  cancelConnection(): Promise<void>;
}

export class EarlyConnections {
  /** One at a time: a copy of the same block, or a rival, would take the threads from it. */
  #current: EarlyConnection | null = null;
  readonly #ws: ChainWorkspace;

  constructor(ws: ChainWorkspace) {
    this.#ws = ws;
  }

  /**
   * Begins with a block if it is worth it: the next one, not too large, with a header that had its work, and with scripts
   * to run.
   * @param block in which known transactions are recognised
   * @param identified its ids are about to be made; undefined when they are made as they are asked for
   */
  beginConnection(block: BlockView, identified: Promise<void> | undefined): EarlyConnection | null {
    const tip = this.#ws.active.tip as HeaderNode;
    if (this.#current !== null || !this.#fits(block, tip)) return null;
    const { coins } = this.#ws;
    const { evictionEpoch } = coins;
    const stop = new StopFlag();
    let moved = false;
    // For good: a tip that comes back finds a look-up that was given up meanwhile.
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
        // Beside the queue, coins may be forgotten that were looked at.
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

  /** Ends what still runs. */
  async close(): Promise<void> {
    await this.#current?.cancelConnection();
  }
}
