// One step towards a better tip, worked out in full before anything changes: which blocks leave, which join, and which
// turned out invalid on the way (Core's ActivateBestChainStep). Then applying it: a reader sees all of it or nothing.

import type { BlockView } from '../../consensus/block/block-view.js';
import type { Reject } from '../../consensus/state.js';
import { TimeSlice, yieldToLoop } from '../../lib/time-slice.js';
import { StoreError } from '../../storage/store-error.js';
import { ChainFault } from '../chain-fault.js';
import type { ConnectedBlock, JoinedBlock } from '../events.js';
import { readChecked } from '../files/read-checked.js';
import { type HeaderNode, lastCommonAncestor, NodeStatus } from '../tree/header-node.js';
import type { BlockPrefetcher } from './block-prefetcher.js';
import { CoinsOverlay, connectCoins, disconnectCoins, outpointsCreated } from './coins-overlay.js';
import { tryConnect } from './connect-block.js';
import type { EarlyConnection } from './early-connection.js';
import { scriptsReason } from './scripts-needed.js';
import type { ChainWorkspace } from './workspace.js';

/** Coins changed in one go: some 20 ms near the tip, when miners wait for nothing else; 5 ms elsewhere. */
const QUICK_COINS = { eager: 25_000, other: 6_000 };
/** Outpoints asked for at a time. */
const PREFETCH_OUTPOINTS = 1_024;

/** A block whose parsed form is at hand already. */
export interface SuppliedBlock {
  readonly node: HeaderNode;
  readonly block: BlockView;
  /** On its parent, when that is the tip. */
  readonly early?: EarlyConnection | null;
}

/** What to do. */
export interface Step {
  /** Old tip first. */
  readonly disconnected: ConnectedBlock[];
  /** Lowest first; all valid. */
  readonly connected: JoinedBlock[];
  /** The block after the connected ones, when it broke a rule. */
  readonly failed: { readonly node: HeaderNode; readonly block: BlockView; readonly reject: Reject } | null;
  /** The block after the connected ones, when its stored bytes could not be read. */
  readonly unreadable: { readonly node: HeaderNode; readonly error: StoreError } | null;
}

/**
 * Reads and checks blocks from the tip towards the target, until a better tip than the present one is reached.
 * @param prefetcher what was prepared for these blocks before; null without
 */
export async function prepareStep(
  ws: ChainWorkspace,
  target: HeaderNode,
  supplied: SuppliedBlock | null,
  assumed: HeaderNode | undefined,
  prefetcher: BlockPrefetcher | null,
): Promise<Step> {
  const tip = ws.active.tip as HeaderNode;
  const fork = lastCommonAncestor(tip, target);
  const disconnected: ConnectedBlock[] = [];
  const connected: JoinedBlock[] = [];
  const step = (rest: Partial<Step> = {}): Step => ({ disconnected, connected, failed: null, unreadable: null, ...rest });
  let bytes = 0;
  let overlay: CoinsOverlay | null = null;
  for (let node = tip; node !== fork; node = node.prev as HeaderNode) {
    overlay ??= new CoinsOverlay(ws.coins);
    const leaving = await prepareDisconnect(ws, node, overlay);
    disconnected.push(leaving);
    bytes += leaving.block.totalSize;
    // Enough for one step: go down this far now, and on from there.
    if (bytes > ws.options.maxStepBytes) return step();
  }
  for (let height = fork.height + 1; height <= target.height; height++) {
    const node = target.ancestor(height) as HeaderNode;
    const prefetched = await prefetcher?.takeBlock(node);
    let block: BlockView;
    try {
      block = supplied?.node === node ? supplied.block : (prefetched?.block ?? (await readChecked(ws, node)));
    } catch (error) {
      if (error instanceof StoreError && (error.code === 'STORE_CORRUPTION' || error.code === 'STORE_NOT_FOUND')) {
        return step({ unreadable: { node, error } });
      }
      throw error;
    }
    const reason = scriptsReason(ws, node, assumed);
    ws.scriptsLog.noteReason(node, reason);
    const connect = { klass: 'block', scripts: reason !== null, overlay, prefetched } as const;
    // Scripts that are not asked for decide nothing.
    const early = supplied?.node === node && overlay === null && reason !== null ? await supplied.early?.takeResult() : null;
    const result = early ?? (await tryConnect(ws, block, node.prev as HeaderNode, connect));
    if (result === null) throw new ChainFault('a step of the chain was given up', undefined);
    if (result.verdict !== null) return step({ failed: { node, block, reject: result.verdict } });
    connected.push({ node, block, spent: result.spent, fees: result.fees });
    bytes += block.totalSize;
    if (node.chainWork > tip.chainWork || bytes > ws.options.maxStepBytes || node === target) break;
    overlay ??= new CoinsOverlay(ws.coins);
    await new TimeSlice().run(connectCoins(overlay, block, node.height));
    await yieldToLoop();
  }
  return step();
}

/** Reads a block of the active chain with its undo data and takes it off the overlay. */
export async function prepareDisconnect(ws: ChainWorkspace, node: HeaderNode, overlay: CoinsOverlay): Promise<ConnectedBlock> {
  if (isBeyondPruned(ws, node)) {
    throw new ChainFault(
      `Failed to disconnect block ${node.hashHex} at height ${node.height}: it was pruned. Start with -reindex to download the whole chain again`,
      undefined,
    );
  }
  const block = await ws.blocks.read(node);
  const spent = await ws.blocks.readUndo(node);
  const turns = new TimeSlice();
  for (const outpoints of outpointsCreated(block, PREFETCH_OUTPOINTS)) {
    await ws.coins.prefetch(outpoints.filter((outpoint) => !overlay.has(outpoint)));
    if (turns.over) await turns.next();
  }
  if (!(await turns.run(disconnectCoins(overlay, block, spent, node.height)))) {
    throw new ChainFault(`The coins database does not fit block ${node.hashHex}`, undefined);
  }
  await yieldToLoop();
  return { node, block, spent };
}

/** Whether a block of the active chain cannot be taken off, since its bytes or its undo data were pruned, or never were here. */
export function isBeyondPruned({ index, blocks, isHistory }: ChainWorkspace, node: HeaderNode): boolean {
  if (!isHistory && index.assumed !== null && node.height <= index.assumed.height) return true;
  return index.havePruned && !blocks.isRecent(node) && !node.has(NodeStatus.HAVE_DATA | NodeStatus.HAVE_UNDO);
}

/** Changes the coins of a step, stopping now and then. Everything was prepared: what fails in here is a fault. */
export function* changeCoins({ coins }: ChainWorkspace, { disconnected, connected }: Step): Generator<void, void> {
  for (const { node, block, spent } of disconnected) {
    if (!(yield* disconnectCoins(coins, block, spent, node.height)))
      throw new ChainFault(`The coins do not fit block ${node.hashHex}`, undefined);
  }
  for (const { node, block } of connected) yield* connectCoins(coins, block, node.height);
}

/** Whether a step is one block after the tip whose coins are changed in one go. @param eager near the tip */
export function isQuick({ disconnected, connected }: Step, eager: boolean): boolean {
  if (disconnected.length > 0 || connected.length !== 1) return false;
  const txs = (connected[0] as JoinedBlock).block.txs;
  return (
    txs.reduce((sum, { inputCount, outputCount }) => sum + inputCount + outputCount, 0) <= (eager ? QUICK_COINS.eager : QUICK_COINS.other)
  );
}

/** Moves the tip. The caller shows or defers the change of the coins in the same turn of the event loop. */
export function moveTip({ active, blocks }: ChainWorkspace, { disconnected, connected }: Step): void {
  for (const { node } of disconnected) active.setTip(node.prev as HeaderNode);
  for (const { node } of connected) active.setTip(node);
  for (const block of connected) blocks.addRecent(block);
}
