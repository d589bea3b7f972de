// Finds blocks at start that the files contain after the last block in the index. Either the database lost its last
// writes (its log was damaged, the machine lost power, an older copy was restored), or the process died between writing
// a block and its index row. These blocks are added to the tree and connected like all stored blocks.

import { type BlockView, parseBlock } from '../../consensus/block/block-view.js';
import { parseHeader } from '../../consensus/block/header-view.js';
import { hashKey } from '../../consensus/bytes/hex.js';
import { DecodeError } from '../../consensus/bytes/reader.js';
import { durationText, ProgressMeter, percentText } from '../../lib/progress.js';
import type { BlockPosition } from '../../storage/block-records.js';
import { StoreError } from '../../storage/store-error.js';
import type { ChainWorkspace } from '../connect/workspace.js';
import { NodeStatus } from '../tree/header-node.js';

/**
 * Number of bytes above which the log announces the search, because the start takes noticeably longer. After an older
 * copy was restored, the search may read most of the chain.
 */
const ANNOUNCED_BYTES = 64 << 20;
const REPORT_MS = 10_000;

interface Found {
  readonly at: BlockPosition;
  readonly bytes: number;
  readonly hash: Uint8Array;
  readonly prevHash: Uint8Array;
}

/**
 * Adds blocks that the files contain after the last known one to the tree.
 * @param accept adds a block at a position of the files; returns whether it was new
 * @returns number of added blocks
 */
export async function adoptBehind(ws: ChainWorkspace, accept: (block: BlockView, at: BlockPosition) => Promise<boolean>): Promise<number> {
  const { index, blocks, crypto, log, clock } = ws;
  // Blocks by the hash of their parent, because a child may precede its parent in the files.
  const children = new Map<string, Found[]>();
  const ready: Found[] = [];
  let total = 0;
  for await (const { at, bytes, header } of blocks.files.behindLastKnown()) {
    if (ws.stopping()) return 0;
    const { hash, prevHash } = parseHeader(header, crypto);
    if (index.get(hash)?.has(NodeStatus.HAVE_DATA) === true) continue;
    const found = { at, bytes, hash: new Uint8Array(hash), prevHash: new Uint8Array(prevHash) };
    total += bytes;
    if (index.get(prevHash) !== undefined) ready.push(found);
    else {
      const key = hashKey(prevHash);
      const siblings = children.get(key);
      if (siblings === undefined) children.set(key, [found]);
      else siblings.push(found);
    }
  }
  const meter = new ProgressMeter(() => clock.monotonicMs(), 0, REPORT_MS);
  if (total > ANNOUNCED_BYTES)
    log.info(`The block files hold ${Math.round(total / 1e6)} MB of blocks that are not in the database. Adding them to the block index.`);
  let adopted = 0;
  let unreadable = 0;
  let done = 0;
  // Add blocks in file order, but parents before their children. The list grows during the loop.
  for (const found of ready) {
    if (ws.stopping()) break;
    if (await adopt(found)) adopted++;
    done += found.bytes;
    if (meter.shouldReport())
      log.info(
        `Adding blocks of the block files to the block index: ${percentText(done, total)}, ${durationText(meter.secondsLeft(done, total))} left`,
      );
    const key = hashKey(found.hash);
    const waiting = index.get(found.hash) === undefined ? undefined : children.get(key);
    if (waiting === undefined) continue;
    children.delete(key);
    ready.push(...waiting);
  }
  if (unreadable > 1) log.warn(`${unreadable} blocks after the last block in the database could not be read`);
  if (adopted > 0) log.info(`Added ${adopted} blocks of the block files, which followed the last block in the database`);
  return adopted;

  async function adopt({ at }: Found): Promise<boolean> {
    try {
      return await accept(parseBlock(await blocks.files.readBlock(at), crypto), at);
    } catch (error) {
      const damaged = error instanceof DecodeError || (error instanceof StoreError && error.code === 'STORE_CORRUPTION');
      if (!damaged) throw error;
      // Log only the first error: a damaged disk could fill the log.
      if (++unreadable === 1) log.warn(`A block after the last block in the database could not be read: ${error.message}`);
      return false;
    }
  }
}
