// Repairs a start after a power failure, if the database reached the disk and the ends of the block files did not.
// Blocks whose bytes are lost are dropped and downloaded again. If the database contains coin changes of such blocks,
// these changes are first taken back with the rollback rows that were written together with them. If that is
// impossible, the files are damaged and the start fails.

import { hashOfRollback, rollbackOps } from '../../storage/codec/rollback.js';
import type { BatchOp } from '../../storage/store.js';
import { StoreError } from '../../storage/store-error.js';
import type { ChainWorkspace } from '../connect/workspace.js';
import type { ActiveChain } from '../tree/active-chain.js';
import { type HeaderNode, NodeStatus } from '../tree/header-node.js';
import { rowOp } from './persister.js';
import { readChecked } from './read-checked.js';

/** A block of the active chain whose coin changes can be taken back. */
interface Late {
  readonly node: HeaderNode;
  readonly row: Uint8Array;
  readonly block: boolean;
  readonly undo: boolean;
}

/**
 * Takes the coins back to the last block before the lost bytes, one block per batch.
 * @param tip block of the coins
 * @returns block of the coins afterwards
 */
export async function rollBackLost(ws: ChainWorkspace, tip: HeaderNode): Promise<HeaderNode> {
  const late = await lateBlocks(ws, tip);
  ws.leftRollbacks = late.length;
  const lowest = late.findLastIndex(({ block, undo }) => !(block && undo));
  if (lowest < 0) return tip;
  const end = (late[lowest] as Late).node.prev as HeaderNode;
  const { store, log, space } = ws;
  log.warn(
    `The last writes to the block files are lost. Rolling the chain back from height ${tip.height} to ${end.height}; peers will send the later blocks again.`,
  );
  for (const { node, row, block } of late.slice(0, lowest + 1)) {
    // The block's bytes are complete, so the block will be connected again, with new undo data.
    if (block) dropUndo(node);
    else ws.index.forgetStored([node]);
    ws.index.dirty.delete(node);
    const ops: BatchOp[] = rollbackOps(row, space);
    ops.push(
      rowOp(node),
      { type: 'put', key: space.tipKey, value: (node.prev as HeaderNode).hash },
      { type: 'del', key: space.rollbackKey(node.height) },
    );
    await store.batch(ops);
  }
  return end;
}

/**
 * Returns the blocks from the tip down that have a rollback row, and which of their data is complete. After a clean
 * stop there are no rollback rows.
 */
async function lateBlocks(ws: ChainWorkspace, tip: HeaderNode): Promise<Late[]> {
  const rows = new Map<HeaderNode, Uint8Array>();
  for await (const [, row] of ws.store.iterate(ws.space.rollbacks)) {
    const node = ws.index.get(hashOfRollback(row));
    if (node !== undefined) rows.set(node, row);
  }
  const late: Late[] = [];
  for (let node = tip; node.prev !== null; node = node.prev) {
    const row = rows.get(node);
    if (row === undefined) break;
    const block = await isWhole(() => readChecked(ws, node));
    const undo = await isWhole(() => ws.blocks.readUndo(node));
    late.push({ node, row, block, undo });
  }
  return late;
}

async function isWhole(read: () => Promise<unknown>): Promise<boolean> {
  try {
    await read();
    return true;
  } catch (error) {
    if (error instanceof StoreError && (error.code === 'STORE_CORRUPTION' || error.code === 'STORE_NOT_FOUND')) return false;
    throw error;
  }
}

function dropUndo(node: HeaderNode): void {
  node.status &= ~NodeStatus.HAVE_UNDO;
  node.undoPos = 0;
}

/**
 * Yields blocks whose coins are not in the database: blocks outside the active chain, and blocks below a snapshot that
 * the background history has not reached.
 */
function* unconnected({ index }: ChainWorkspace, history: ActiveChain | null): Generator<HeaderNode> {
  yield* index.offChain();
  const reached = history?.height ?? Number.POSITIVE_INFINITY;
  for (let node = index.assumed; node !== null && node.height > reached; node = node.prev) yield node;
}

/**
 * Drops undo data of unconnected blocks that was lost with the end of its file. Reads each file from its end back to
 * the first complete record. Damage before that record is found when the block is connected again.
 * @returns whether anything was dropped
 */
async function forgetLostUndo(ws: ChainWorkspace, history: ActiveChain | null): Promise<boolean> {
  const { index, blocks } = ws;
  const files = new Map<number, HeaderNode[]>();
  for (const node of unconnected(ws, history)) {
    if (!node.has(NodeStatus.HAVE_UNDO)) continue;
    const nodes = files.get(node.file);
    if (nodes === undefined) files.set(node.file, [node]);
    else nodes.push(node);
  }
  let changed = false;
  for (const nodes of files.values()) {
    nodes.sort((a, b) => b.undoPos - a.undoPos);
    for (const node of nodes) {
      if (await isWhole(() => blocks.readUndo(node))) break;
      dropUndo(node);
      index.dirty.add(node);
      changed = true;
    }
  }
  return changed;
}

/**
 * Drops stored blocks that are missing in the files, and missing undo data of blocks outside the chain. Must be called
 * once the active chain is known.
 * @param history chain below a snapshot; null for none
 * @returns whether anything was dropped
 * @throws StoreError if a connected block is lost
 */
export async function forgetLost(ws: ChainWorkspace, history: ActiveChain | null): Promise<boolean> {
  const { index, active, blocks, log } = ws;
  const { loss, lastWhole } = blocks.files;
  const changed = await forgetLostUndo(ws, history);
  const lost: HeaderNode[] = [];
  for (const node of loss === null ? [] : index.all()) {
    if (!node.hasData || lastWhole === null || node.file < lastWhole.file) continue;
    if (node.file === lastWhole.file && node.blockPos <= lastWhole.pos) continue;
    const coinsNeedIt = isConnected(active, index.assumed, node) || history?.contains(node) === true;
    if (coinsNeedIt) throw loss;
    lost.push(node);
  }
  if (lost.length === 0) return changed;
  index.forgetStored(lost);
  log.warn(`${lost.length} stored blocks are lost with the end of the block files and will be downloaded again: ${loss?.message}`);
  return true;
}

/**
 * Returns whether the coins of a block are in the database because the active chain connected it. False for blocks
 * below a snapshot block.
 */
function isConnected(active: ActiveChain, assumed: HeaderNode | null, node: HeaderNode): boolean {
  return active.contains(node) && (assumed === null || node.height > assumed.height);
}

/** Recomputes the last undo position of each file from the tree. */
export function recountUndo({ index }: ChainWorkspace, known: Map<number, number>): void {
  known.clear();
  for (const { file, undoPos, status } of index.all())
    if ((status & NodeStatus.HAVE_UNDO) !== 0) known.set(file, Math.max(undoPos, known.get(file) ?? 0));
}
