// Handles large blocks in steps. Parsing, hashing and checking such a block take some milliseconds each, and short
// calls of clients run in between.

import type { BlockView } from '../../consensus/block/block-view.js';
import { MAX_BLOCK_TXS, MAX_BLOCK_WEIGHT } from '../../consensus/limits.js';
import type { TxView } from '../../consensus/tx/tx-view.js';
import { TimeSlice, yieldToLoop } from '../../lib/time-slice.js';
import type { BlockHasher } from '../../parallel/block-hasher.js';

/** Size in bytes above which a block is parsed and checked in separate event-loop ticks. */
const LARGE_BLOCK_BYTES = 500_000;
/** Number of transactions between two checks of the clock. */
const SLICE_TXS = 128;

/** Set of transactions that were checked before, such as the mempool. */
export interface CheckedTransactions {
  /** Number of transactions. */
  readonly size: number;
  /** Sets ids and TxFacts of a transaction if the set has one with identical bytes. */
  recognise(tx: TxView): void;
}

/** Returns whether work with a block should be done in separate ticks. */
export function isLarge({ totalSize }: BlockView): boolean {
  return totalSize > LARGE_BLOCK_BYTES;
}

/** Finds the known transactions of a block and sets their ids and facts. Works in time slices if the block is large. */
export async function recognise(block: BlockView, known: CheckedTransactions | null): Promise<void> {
  if (known === null || known.size === 0) return;
  const looking = visitTransactions(block, (tx) => {
    if (tx.facts === null) known.recognise(tx);
  });
  if (isLarge(block)) await runInSlices(looking);
  else for (const _ of looking);
}

/**
 * Computes the ids of a large block's transactions, and also the block's roots if a hasher with threads is given. Ids
 * of a small block are computed when needed.
 */
export async function identify(block: BlockView, hasher: BlockHasher | undefined): Promise<void> {
  // If both roots were computed or checked before, the ids were computed too.
  if (block.roots !== null || (block.merkleChecked && block.witnessChecked)) return;
  // A block that is too heavy or has too many transactions is invalid. Do not pass it to other threads; compute its ids
  // here, in slices.
  const fits = block.weight <= MAX_BLOCK_WEIGHT && block.txs.length <= MAX_BLOCK_TXS;
  if (hasher !== undefined && fits && (await hasher.hash(block))) return;
  await runInSlices(visitTransactions(block, (tx) => tx.txid && tx.wtxid));
}

/** Runs a generator in time slices, beginning in a new event-loop tick. */
async function runInSlices(looking: Generator<void, void>): Promise<void> {
  await yieldToLoop();
  await new TimeSlice('chain').run(looking);
}

function* visitTransactions({ txs }: BlockView, visit: (tx: TxView) => unknown): Generator<void, void> {
  for (let i = 0; i < txs.length; i++) {
    visit(txs[i] as TxView);
    if (i % SLICE_TXS === 0) yield;
  }
}
