// Blocks that lie in the files behind the last one that the index knows, at the start: the database lost its last
// writes (its log was damaged, the machine died, an older copy was put back), or a process died between a block and its
// row. Nothing of that is lost for good: the blocks go into the tree where they lie, and are connected like all stored
// blocks.

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
 * More than this is announced, because the start takes noticeably longer; after an older copy was put back it may be
 * most of the chain.
 */
const ANNOUNCED_BYTES = 64 << 20;
const REPORT_MS = 10_000;

interface Found {
  readonly at: BlockPosition;
  readonly bytes: number;
  readonly hash: Uint8Array;
  readonly prevHash: Uint8Array;
}

/** @param accept takes a block that lies at a place; whether it was new @returns blocks taken in */
export async function adoptBehind(ws: ChainWorkspace, accept: (block: BlockView, at: BlockPosition) => Promise<boolean>): Promise<number> {
  const { index, blocks, crypto, log, clock } = ws;
  // By the block before: a child may lie before its parent.
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
    log.info(`The block files hold ${Math.round(total / 1e6)} MB of blocks that the database does not know; they are taken in`);
  let adopted = 0;
  let unreadable = 0;
  let done = 0;
  // In the order of the files, as far as parents allow; the list grows while it is walked through.
  for (const found of ready) {
    if (ws.stopping()) break;
    if (await adopt(found)) adopted++;
    done += found.bytes;
    if (meter.shouldReport())
      log.info(`Blocks taken in: ${percentText(done, total)}, ${durationText(meter.secondsLeft(done, total))} left`);
    const key = hashKey(found.hash);
    const waiting = index.get(found.hash) === undefined ? undefined : children.get(key);
    if (waiting === undefined) continue;
    children.delete(key);
    ready.push(...waiting);
  }
  if (unreadable > 1) log.warn(`${unreadable} blocks behind the last one that the database knew are not readable`);
  if (adopted > 0) log.info(`Found ${adopted} blocks in the block files behind the last one that the database knew`);
  return adopted;

  async function adopt({ at }: Found): Promise<boolean> {
    try {
      return await accept(parseBlock(await blocks.files.readBlock(at), crypto), at);
    } catch (error) {
      const damaged = error instanceof DecodeError || (error instanceof StoreError && error.code === 'STORE_CORRUPTION');
      if (!damaged) throw error;
      // The first says what is wrong; a disk with many would fill the log.
      if (++unreadable === 1) log.warn(`A block behind the last one that the database knew is not readable: ${error.message}`);
      return false;
    }
  }
}
