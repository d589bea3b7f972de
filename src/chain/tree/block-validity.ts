// Checks a block on the tip without storing it (Core's TestBlockValidity): for proposals, generateblock and
// -checktemplates. Runs concurrently with the chain's queue, because the check changes nothing. If the tip changes
// during the check, the verdict is inconclusive-not-best-prevblk.

import type { BlockView } from '../../consensus/block/block-view.js';
import { equalBytes } from '../../consensus/bytes/hex.js';
import { checkBlock } from '../../consensus/rules/check-block.js';
import { checkHeaderContext } from '../../consensus/rules/check-header-context.js';
import { contextualCheckBlock } from '../../consensus/rules/contextual-check-block.js';
import type { Reject, Verdict } from '../../consensus/state.js';
import type { VerifyClass } from '../../parallel/verifier.js';
import { lastCheckpointHeight } from '../connect/accept.js';
import { tryConnect } from '../connect/connect-block.js';
import type { ChainWorkspace } from '../connect/workspace.js';
import type { HeaderNode } from './header-node.js';

/** Options of a validity check. */
export interface ValidityOptions {
  /** Check proof of work and, on signet, the block signature. */
  readonly checkPow: boolean;
  readonly checkMerkle: boolean;
  /** Class of the script jobs, which decides their priority; 'proposal' by default. */
  readonly klass?: VerifyClass;
}

/** Verdict for a block whose parent is not the tip (BIP-0022). */
const NOT_BEST: Reject = { category: 'invalid-prev', reason: 'inconclusive-not-best-prevblk', debug: '' };

/**
 * Runs the checks in Core's order: block alone, header in context, block in context, coins and scripts. Before release
 * 30 the header in context came first.
 */
export async function testValidity(ws: ChainWorkspace, block: BlockView, options: ValidityOptions): Promise<Verdict> {
  const tip = ws.active.tip as HeaderNode;
  if (!equalBytes(block.header.prevHash, tip.hash)) return NOT_BEST;
  const { params } = ws;
  const header = (): Verdict =>
    checkHeaderContext(block.header, tip, params, ws.clock.nowSeconds(), lastCheckpointHeight(ws), ws.versionBits);
  const early =
    (ws.options.triedHeaderFirst ? header() : null) ??
    checkBlock(block, params, ws.crypto, { checkPow: options.checkPow, checkMerkle: options.checkMerkle }) ??
    (ws.options.triedHeaderFirst ? null : header()) ??
    contextualCheckBlock(block, tip, params, ws.versionBits);
  if (early !== null) return early;
  const klass = options.klass ?? 'proposal';
  const stillValid = () => ws.active.tip === tip;
  const result = await tryConnect(ws, block, tip, { klass, scripts: true, overlay: null, stillValid });
  return result === null ? NOT_BEST : result.verdict;
}
