// Prepares one step towards a better tip completely before anything changes: blocks to disconnect, blocks to connect,
// and a block that turned out to be invalid (Core's ActivateBestChainStep). Then applies the step: a reader sees all of
// its changes or none.

import type { BlockView } from '../../consensus/block/block-view.js';
import type { Reject } from '../../consensus/state.js';
import { TimeSlice, yieldToLoop } from '../../lib/time-slice.js';
import { StoreError } from '../../storage/store-error.js';
import { ChainFault } from '../chain-fault.js';
import type { ConnectedBlock, JoinedBlock } from '../events.js';
import { readChecked } from '../files/read-checked.js';
import { type HeaderNode, lastCommonAncestor, NodeStatus } from '../tree/header-node.js';
import { CoinsOverlay, connectCoins, disconnectCoins, outpointsCreated } from './coins-overlay.js';
import { tryConnect } from './connect-block.js';
import type { EarlyConnection } from './early-connection.js';
import { scriptsReason } from './scripts-needed.js';
import type { ChainWorkspace } from './workspace.js';

/**
 * Largest number of coins that are changed without a pause. Near the tip that takes about 20 ms, because miners then
 * wait for nothing else; otherwise 5 ms.
 */
const QUICK_COINS = { eager: 25_000, other: 6_000 };
/** Number of outpoints read at a time. */
const PREFETCH_OUTPOINTS = 1_024;

/** A block that is parsed already. */
export interface SuppliedBlock {
  readonly node: HeaderNode;
  readonly block: BlockView;
  /** Early connection of the block; valid if its parent is still the tip. */
  readonly early?: EarlyConnection | null;
}

/** A prepared step of the tip. */
export interface Step {
  /** Disconnected blocks, the old tip first. */
  readonly disconnected: ConnectedBlock[];
  /** Connected blocks, the lowest first. All are valid. */
  readonly connected: JoinedBlock[];
  /** The block after the connected ones, if it broke a rule. */
  readonly failed: { readonly node: HeaderNode; readonly block: BlockView; readonly reject: Reject } | null;
  /** The block after the connected ones, if its stored bytes could not be read. */
  readonly unreadable: { readonly node: HeaderNode; readonly error: StoreError } | null;
}

/**
 * Reads and checks blocks from the tip towards the target, until they make a better tip than the current one or the
 * step is full.
 */
export async function prepareStep(
  ws: ChainWorkspace,
  target: HeaderNode,
  supplied: SuppliedBlock | null,
  assumed: HeaderNode | undefined,
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
    // The step is full. Apply it with these disconnected blocks; the next step continues.
    if (bytes > ws.options.maxStepBytes) return step();
  }
  for (let height = fork.height + 1; height <= target.height; height++) {
    const node = target.ancestor(height) as HeaderNode;
    let block: BlockView;
    try {
      block = supplied?.node === node ? supplied.block : await readChecked(ws, node);
    } catch (error) {
      if (error instanceof StoreError && (error.code === 'STORE_CORRUPTION' || error.code === 'STORE_NOT_FOUND')) {
        return step({ unreadable: { node, error } });
      }
      throw error;
    }
    const reason = scriptsReason(ws, node, assumed);
    ws.scriptsLog.noteReason(node, reason);
    const connect = { klass: 'block', scripts: reason !== null, overlay } as const;
    // If no scripts are required, ignore the early connection, which ran them.
    const early = supplied?.node === node && overlay === null && reason !== null ? await supplied.early?.takeResult() : null;
    const result = early ?? (await tryConnect(ws, block, node.prev as HeaderNode, connect));
    if (result === null) throw new ChainFault('Connecting a block was interrupted', undefined);
    if (result.verdict !== null) return step({ failed: { node, block, reject: result.verdict } });
    connected.push({ node, block, spent: result.spent, fees: result.fees });
    bytes += block.totalSize;
    if (node.chainWork > tip.chainWork || bytes > ws.options.maxStepBytes || node === target) break;
    overlay ??= new CoinsOverlay(ws.coins);
    await new TimeSlice('chain').run(connectCoins(overlay, block, node.height));
    await yieldToLoop();
  }
  return step();
}

/** Reads a block of the active chain with its undo data and disconnects it on the overlay. */
export async function prepareDisconnect(ws: ChainWorkspace, node: HeaderNode, overlay: CoinsOverlay): Promise<ConnectedBlock> {
  if (isBeyondPruned(ws, node)) {
    throw new ChainFault(
      `Failed to disconnect block ${node.hashHex} at height ${node.height}: it was pruned. Start with -reindex to download the whole chain again`,
      undefined,
    );
  }
  const block = await ws.blocks.read(node);
  const spent = await ws.blocks.readUndo(node);
  const turns = new TimeSlice('chain');
  for (const outpoints of outpointsCreated(block, PREFETCH_OUTPOINTS)) {
    await ws.coins.prefetch(outpoints.filter((outpoint) => !overlay.has(outpoint)));
    if (turns.over) await turns.next();
  }
  if (!(await turns.run(disconnectCoins(overlay, block, spent, node.height)))) {
    throw new ChainFault(
      `The coins database does not match block ${node.hashHex}. Start with -reindex-chainstate to rebuild it`,
      undefined,
    );
  }
  await yieldToLoop();
  return { node, block, spent };
}

/**
 * Returns whether a block of the active chain cannot be disconnected, because its bytes or undo data were pruned or
 * were never stored.
 */
export function isBeyondPruned({ index, blocks, isHistory }: ChainWorkspace, node: HeaderNode): boolean {
  if (!isHistory && index.assumed !== null && node.height <= index.assumed.height) return true;
  return index.havePruned && !blocks.isRecent(node) && !node.has(NodeStatus.HAVE_DATA | NodeStatus.HAVE_UNDO);
}

/**
 * Changes the coins of a step, yielding regularly. All blocks have passed their checks, so any failure is a chain
 * fault.
 */
export function* changeCoins({ coins }: ChainWorkspace, { disconnected, connected }: Step): Generator<void, void> {
  for (const { node, block, spent } of disconnected) {
    if (!(yield* disconnectCoins(coins, block, spent, node.height)))
      throw new ChainFault(
        `The coins database does not match block ${node.hashHex}. Start with -reindex-chainstate to rebuild it`,
        undefined,
      );
  }
  for (const { node, block } of connected) yield* connectCoins(coins, block, node.height);
}

/**
 * Returns whether a step is a single block on the tip with few enough coins to change them without a pause.
 * @param eager true near the tip
 */
export function isQuick({ disconnected, connected }: Step, eager: boolean): boolean {
  if (disconnected.length > 0 || connected.length !== 1) return false;
  const txs = (connected[0] as JoinedBlock).block.txs;
  return (
    txs.reduce((sum, { inputCount, outputCount }) => sum + inputCount + outputCount, 0) <= (eager ? QUICK_COINS.eager : QUICK_COINS.other)
  );
}

/** Sets the new tip. The caller shows or defers the coin changes in the same event-loop tick. */
export function moveTip({ active, blocks }: ChainWorkspace, { disconnected, connected }: Step): void {
  for (const { node } of disconnected) active.setTip(node.prev as HeaderNode);
  for (const { node } of connected) active.setTip(node);
  for (const block of connected) {
    blocks.addRecent(block);
  }
}
