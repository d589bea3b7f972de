// Blocks that lie in the files behind the last one that the index knows, at the start: the database lost its last writes (its log was
// damaged, the machine died, an older copy was put back), or a process died between a block and its row. Nothing of that is lost
// for good: the blocks go into the tree where they lie, and are connected like all stored blocks. Caller: Chain.open.

import { type BlockView, parseBlock } from '../consensus/block/block-view.js';
import { parseHeader } from '../consensus/block/header-view.js';
import { DecodeError } from '../consensus/bytes/reader.js';
import type { BlockPosition } from '../storage/block-files.js';
import { StoreError } from '../storage/store-error.js';
import { NodeStatus } from './header-node.js';
import type { ChainWorkspace } from './workspace.js';

/** More than a damaged log of the database can cost; a start would take too long over it. */
const MAX_BYTES = 512 << 20;

interface Found {
  readonly at: BlockPosition;
  readonly hash: Uint8Array;
  readonly prevHash: Uint8Array;
}

/** @param accept takes a block that lies at a place; whether it was new @returns blocks taken in */
export async function adoptBehind(ws: ChainWorkspace, accept: (block: BlockView, at: BlockPosition) => Promise<boolean>): Promise<number> {
  const { index, blocks, crypto, log } = ws;
  let waiting: Found[] = [];
  let total = 0;
  for await (const { at, bytes, header } of blocks.files.behindLastKnown()) {
    const { hash, prevHash } = parseHeader(header, crypto);
    total += bytes;
    if (total > MAX_BYTES) {
      log.warn('The block files hold many blocks that the database does not know; -reindex takes them in');
      return 0;
    }
    if (index.get(hash)?.has(NodeStatus.HAVE_DATA) !== true)
      waiting.push({ at, hash: new Uint8Array(hash), prevHash: new Uint8Array(prevHash) });
  }
  let adopted = 0;
  // A child may lie before its parent; each round takes those whose parent is there.
  for (let before = -1; adopted !== before && waiting.length > 0; ) {
    before = adopted;
    const later: Found[] = [];
    for (const found of waiting) {
      if (ws.stopping()) return adopted;
      if (index.get(found.prevHash) === undefined) later.push(found);
      else if (await adopt(found)) adopted++;
    }
    waiting = later;
  }
  if (adopted > 0) log.info(`Found ${adopted} blocks in the block files behind the last one that the database knew`);
  return adopted;

  async function adopt({ at }: Found): Promise<boolean> {
    try {
      return await accept(parseBlock(await blocks.files.readBlock(at), crypto), at);
    } catch (error) {
      const unreadable = error instanceof DecodeError || (error instanceof StoreError && error.code === 'STORE_CORRUPTION');
      if (!unreadable) throw error;
      log.warn(`A block behind the last one that the database knew is not readable: ${error.message}`);
      return false;
    }
  }
}
