// A stored block, as good as on the day it was stored.

import type { BlockView } from '../../consensus/block/block-view.js';
import { checkBlock } from '../../consensus/rules/check-block.js';
import { contextualCheckBlock } from '../../consensus/rules/contextual-check-block.js';
import { StoreError } from '../../storage/store-error.js';
import type { ChainWorkspace } from '../connect/workspace.js';
import type { HeaderNode } from '../tree/header-node.js';

/** A stored block; its bytes passed all checks before they were written, so failing now means they rotted. */
export async function readChecked(ws: ChainWorkspace, node: HeaderNode): Promise<BlockView> {
  const block = await ws.blocks.read(node);
  // The second covers witnesses, which the merkle root does not: a flipped bit there must not make a good block count
  // as invalid.
  const verdict = checkBlock(block, ws.params, ws.crypto) ?? contextualCheckBlock(block, node.prev, ws.params, ws.versionBits);
  if (verdict !== null) throw new StoreError('STORE_CORRUPTION', `Stored block ${node.hashHex} fails ${verdict.reason}`);
  return block;
}
