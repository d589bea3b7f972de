// Reads a stored block and repeats its checks.

import type { BlockView } from '../../consensus/block/block-view.js';
import { checkBlock } from '../../consensus/rules/check-block.js';
import { contextualCheckBlock } from '../../consensus/rules/contextual-check-block.js';
import { StoreError } from '../../storage/store-error.js';
import type { ChainWorkspace } from '../connect/workspace.js';
import type { HeaderNode } from '../tree/header-node.js';

/**
 * Reads a stored block. The block passed all checks before it was written, or -reindex has read only its header. A failed
 * check means that the bytes on the disk are corrupt. Should the block itself be invalid, a peer will send it again.
 */
export async function readChecked(ws: ChainWorkspace, node: HeaderNode): Promise<BlockView> {
  const block = await ws.blocks.read(node);
  // contextualCheckBlock covers witnesses, which the merkle root does not. A flipped bit in a witness must not mark a
  // valid block as invalid.
  const verdict = checkBlock(block, ws.params, ws.crypto) ?? contextualCheckBlock(block, node.prev, ws.params, ws.versionBits);
  if (verdict !== null) throw new StoreError('STORE_CORRUPTION', `Stored block ${node.hashHex} is invalid: ${verdict.reason}`);
  return block;
}
