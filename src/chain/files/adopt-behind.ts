// Finds blocks at start that the files contain after the last block in the index. Either the database lost its last
// writes (its log was damaged, the machine lost power, an older copy was restored), or the process died between writing
// a block and its index row. These blocks are added to the tree and connected like all stored blocks.

import { parseHeader } from '../../consensus/block/header-view.js';
import { hashKey } from '../../consensus/bytes/hex.js';
import { durationText, ProgressMeter, percentText } from '../../lib/progress.js';
import type { BlockPosition } from '../../storage/block-records.js';
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
  readonly head: Uint8Array;
  readonly hash: Uint8Array;
}

/**
 * Adds blocks that the files contain after the last known one to the tree.
 * @param headBytes number of bytes of a block that `accept` needs
 * @param accept adds a block at a position of the files, given its first bytes; returns whether it was new
 * @returns number of added blocks
 */
export async function adoptBehind(
  ws: ChainWorkspace,
  headBytes: number,
  accept: (head: Uint8Array, at: BlockPosition) => Promise<boolean>,
): Promise<number> {
  const { index, blocks, crypto, log, clock } = ws;
  // Blocks by the hash of their parent, because a child may precede its parent in the files.
  const children = new Map<string, Found[]>();
  const ready: Found[] = [];
  let total = 0;
  for await (const { at, bytes, head } of blocks.files.behindLastKnown(headBytes)) {
    if (ws.stopping()) return 0;
    const { hash, prevHash } = parseHeader(head, crypto);
    if (index.get(hash)?.has(NodeStatus.HAVE_DATA) === true) continue;
    const found = { at, bytes, head, hash };
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
  let done = 0;
  // Add blocks in file order, but parents before their children. The list grows during the loop.
  for (const found of ready) {
    if (ws.stopping()) break;
    if (await accept(found.head, found.at)) adopted++;
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
  if (adopted > 0) log.info(`Added ${adopted} blocks of the block files, which followed the last block in the database`);
  return adopted;
}
