// Collects the facts of read jobs on the node thread, all in one synchronous step.
import { shows } from '../../policy/compat.js';
import type { HeaderInfo } from '../context/chain.js';
import type { NodeContext } from '../context/node.js';
import { type BlockFacts, PendingRead, type StoredBlock, type StoredUndo } from '../reads/read-job.js';
import { bytesHex, hashHex } from '../render/hex.js';
import { assertStored, confirmationsOf } from './lookup.js';

type Folder = Omit<StoredBlock, 'file' | 'pos' | 'hash'>;

const folders = new WeakMap<NodeContext['blocks'], Folder>();

/** Returns the folder of the block files and their format. */
export function blockFolder({ blocks }: NodeContext): Folder {
  const prunes = blocks.havePruned || blocks.pruneSettings !== null;
  const known = folders.get(blocks);
  if (known?.prunes === prunes) return known;
  const { dir, magic, xorKey } = blocks.blockFolder;
  const folder = { dir, magic: bytesHex(magic), xor: xorKey && bytesHex(xorKey), prunes };
  folders.set(blocks, folder);
  return folder;
}

/** Returns the position of a block. @throws RpcError with -1 if the block was pruned, or only its header is known */
export function storedBlock(ctx: NodeContext, node: HeaderInfo): StoredBlock {
  assertStored(ctx, node);
  // Named members, because V8 takes 5 us to copy the members of another object.
  const { dir, magic, xor, prunes } = blockFolder(ctx);
  return { dir, magic, xor, prunes, file: node.file, pos: node.blockPos, hash: node.hashHex };
}

/** Returns where the undo data of a block is; null if it is not stored, and for the genesis block, which has none. */
export function storedUndo(ctx: NodeContext, node: HeaderInfo): StoredUndo | null {
  return node.prev === null ? null : ctx.blocks.undoPlace(node);
}

/** Returns what the header of a block lacks. */
export function blockFacts(ctx: NodeContext, node: HeaderInfo): BlockFacts {
  const next = ctx.chain.next(node);
  return {
    height: node.height,
    confirmations: confirmationsOf(ctx, node),
    mediantime: node.medianTimePast(),
    chainwork: node.chainWork.toString(16).padStart(64, '0'),
    next: next ? hashHex(next.hash) : null,
  };
}

/** Number of earlier times that the median time of a header depends on. */
const TIMES_BEFORE = 10;

/** Returns the job that shows consecutive headers of the active chain. */
export function headersRead({ chain }: NodeContext, nodes: readonly HeaderInfo[]): PendingRead {
  const [first] = nodes;
  const timesBefore: number[] = [];
  for (let at = first.prev; at !== null && timesBefore.length < TIMES_BEFORE; at = at.prev) timesBefore.unshift(at.time);
  return new PendingRead({
    kind: 'headers',
    headers: Buffer.concat(nodes.map(({ headerBytes }) => headerBytes)).toString('base64'),
    txCounts: nodes.map(({ txCount }) => txCount),
    height: first.height,
    tipHeight: chain.tip.height,
    timesBefore,
    workBefore: (first.prev?.chainWork ?? 0n).toString(16),
    next: chain.next(nodes[nodes.length - 1])?.hashHex ?? null,
  });
}

/** Returns the result of getblock. @throws RpcError */
export function blockRead(ctx: NodeContext, node: HeaderInfo, verbosity: number): PendingRead {
  const { compat } = ctx;
  const shown = verbosity > 2 && !shows(compat, { since: 23 }) ? 2 : verbosity;
  const undo = shown > 1 && shows(compat, { since: 22 }) ? storedUndo(ctx, node) : null;
  return new PendingRead({
    kind: 'block',
    block: storedBlock(ctx, node),
    verbosity: Math.min(shown, 3),
    facts: blockFacts(ctx, node),
    undo,
  });
}
