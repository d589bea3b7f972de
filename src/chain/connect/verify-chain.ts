// Checks stored blocks again, newest first (Core's VerifyDB). Level 0: bytes are readable, 1: block rules, 2: undo data
// is readable, 3: disconnecting gives consistent coins, 4: connecting again works. All coin changes stay on an overlay.

import type { BlockView } from '../../consensus/block/block-view.js';
import { checkBlock } from '../../consensus/rules/check-block.js';
import { contextualCheckBlock } from '../../consensus/rules/contextual-check-block.js';
import { TimeSlice, yieldToLoop } from '../../lib/time-slice.js';
import { StoreError } from '../../storage/store-error.js';
import { ChainFault } from '../chain-fault.js';
import { type HeaderNode, NodeStatus } from '../tree/header-node.js';
import { CoinsOverlay, connectCoins } from './coins-overlay.js';
import { tryConnect } from './connect-block.js';
import { isBeyondPruned, prepareDisconnect } from './reorganize.js';
import type { ChainWorkspace } from './workspace.js';

/**
 * Limit in bytes for blocks that levels 3 and 4 disconnect and connect. Deeper blocks get only the checks up to level
 * 2.
 */
const MAX_DISCONNECT_BYTES = 64 << 20;

/**
 * Checks the newest blocks. Must run inside the chain's queue, so that the tip does not change.
 * @param level 0 to 4; other values are clamped
 * @param depth number of blocks from the tip; 0 or too many means all
 * @returns a description of the error; null if there is none
 */
export async function verifyBlocks(ws: ChainWorkspace, level: number, depth: number): Promise<string | null> {
  const tip = ws.active.tip as HeaderNode;
  const blocks = depth <= 0 || depth > tip.height ? tip.height : depth;
  const checks = Math.max(0, Math.min(4, level));
  const overlay = new CoinsOverlay(ws.coins);
  const taken: { node: HeaderNode; block: BlockView }[] = [];
  let bytes = 0;
  try {
    for (let node = tip; node.prev !== null && node.height > tip.height - blocks; node = node.prev) {
      if (ws.stopping()) return null;
      // A pruned block that was downloaded again has no undo data. This is no error.
      const lacking = (ws.index.havePruned || ws.index.assumed !== null) && !node.has(NodeStatus.HAVE_DATA | NodeStatus.HAVE_UNDO);
      if (lacking || isBeyondPruned(ws, node)) {
        ws.log.info(
          `VerifyDB(): block verification stopping at height ${node.height} (${ws.index.havePruned ? 'pruning' : 'snapshot'}, no data)`,
        );
        break;
      }
      const block = await ws.blocks.read(node);
      // Make the view forget the checks that it passed before, because their repetition is the purpose here.
      block.forgetChecks();
      if (checks >= 1) {
        const verdict = checkBlock(block, ws.params, ws.crypto) ?? contextualCheckBlock(block, node.prev, ws.params, ws.versionBits);
        if (verdict !== null) return bad(ws, node, verdict.reason);
      }
      if (checks >= 2) await ws.blocks.readUndo(node);
      if (checks >= 3 && bytes <= MAX_DISCONNECT_BYTES) {
        await prepareDisconnect(ws, node, overlay);
        bytes += block.totalSize;
        taken.push({ node, block });
      }
      await yieldToLoop();
    }
    for (const { node, block } of checks >= 4 ? taken.reverse() : []) {
      if (ws.stopping()) return null;
      const result = await tryConnect(ws, block, node.prev as HeaderNode, { klass: 'scan', scripts: true, overlay });
      if (result === null || result.verdict !== null) return bad(ws, node, result?.verdict?.reason ?? 'no verdict');
      await new TimeSlice('chain').run(connectCoins(overlay, block, node.height));
      await yieldToLoop();
    }
  } catch (error) {
    const corrupt =
      error instanceof ChainFault || (error instanceof StoreError && ['STORE_CORRUPTION', 'STORE_NOT_FOUND'].includes(error.code));
    if (!corrupt) throw error;
    ws.log.error(`Verifying blocks: ${error.message}`);
    return error.message;
  }
  return null;
}

function bad(ws: ChainWorkspace, node: HeaderNode, what: string): string {
  const text = `${what} at height ${node.height}, ${node.hashHex}`;
  ws.log.error(`Verifying blocks: ${text}`);
  return text;
}
