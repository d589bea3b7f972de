// A start after a power cut: the database reached the disk, and the ends of the block files did not. Blocks whose bytes
// are lost are forgotten and come again from peers; when coins were made from them, the coins go back first, by the
// rollback rows that were written with them. What cannot be taken back is refused, as damage of another kind.

import { hashOfRollback, rollbackOps } from '../../storage/codec/rollback.js';
import type { BatchOp } from '../../storage/store.js';
import { StoreError } from '../../storage/store-error.js';
import type { ChainWorkspace } from '../connect/workspace.js';
import type { ActiveChain } from '../tree/active-chain.js';
import { type HeaderNode, NodeStatus } from '../tree/header-node.js';
import { rowOp } from './persister.js';
import { readChecked } from './read-checked.js';

/** A block of the active chain that can be taken off the coins. */
interface Late {
  readonly node: HeaderNode;
  readonly row: Uint8Array;
  readonly block: boolean;
  readonly undo: boolean;
}

/**
 * Takes the coins back to the last block before lost bytes, one block per batch.
 * @param tip where the coins stand @returns where they stand then
 */
export async function rollBackLost(ws: ChainWorkspace, tip: HeaderNode): Promise<HeaderNode> {
  const late = await lateBlocks(ws, tip);
  ws.leftRollbacks = late.length;
  const lowest = late.findLastIndex(({ block, undo }) => !(block && undo));
  if (lowest < 0) return tip;
  const end = (late[lowest] as Late).node.prev as HeaderNode;
  const { store, log, space } = ws;
  log.warn(
    `The last writes to the block files are lost: going back from height ${tip.height} to ${end.height}, and on from there with what peers send`,
  );
  for (const { node, row, block } of late.slice(0, lowest + 1)) {
    // What is left of it is connected anew, with undo data of its own.
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

/** The blocks from the tip down that have a rollback row, and what of them is whole. A clean stop leaves none. */
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

/** Blocks that no coins stand on: outside the active chain, and below a snapshot where its history has yet to come. */
function* unconnected({ index }: ChainWorkspace, history: ActiveChain | null): Generator<HeaderNode> {
  yield* index.offChain();
  const reached = history?.height ?? Number.POSITIVE_INFINITY;
  for (let node = index.assumed; node !== null && node.height > reached; node = node.prev) yield node;
}

/**
 * Forgets undo data of blocks that are not connected that is lost with the end of its file. Each file is read from its
 * end back to the first record that is whole; what is damaged below is found when its block is connected again.
 * @returns whether something was forgotten
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
 * Once the active chain stands: forgets stored blocks that the files lack, and undo data that they lack of blocks
 * outside the chain.
 * @param history the chain below a snapshot, null for none
 * @returns whether something was forgotten
 * @throws StoreError when a connected block is lost
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
  log.warn(`${lost.length} stored blocks are lost with the end of the block files, and will be fetched again: ${loss?.message}`);
  return true;
}

/** Whether coins were made from a block: not so below a snapshot's. */
function isConnected(active: ActiveChain, assumed: HeaderNode | null, node: HeaderNode): boolean {
  return active.contains(node) && (assumed === null || node.height > assumed.height);
}

/** Per file, the last undo position that the tree knows, made anew. */
export function recountUndo({ index }: ChainWorkspace, known: Map<number, number>): void {
  known.clear();
  for (const { file, undoPos, status } of index.all())
    if ((status & NodeStatus.HAVE_UNDO) !== 0) known.set(file, Math.max(undoPos, known.get(file) ?? 0));
}
