// Parsing, hashing and checking a large block take some milliseconds each: short calls run in between.

import type { BlockView } from '../../consensus/block/block-view.js';
import { MAX_BLOCK_TXS, MAX_BLOCK_WEIGHT } from '../../consensus/limits.js';
import type { TxView } from '../../consensus/tx/tx-view.js';
import { TimeSlice, yieldToLoop } from '../../lib/time-slice.js';
import type { BlockHasher } from '../../parallel/block-hasher.js';

/** Blocks above are parsed and checked in separate turns of the event loop. */
const LARGE_BLOCK_BYTES = 500_000;
/** Transactions looked at between two looks at the clock. */
const SLICE_TXS = 128;

/** Transactions that were checked before. */
export interface CheckedTransactions {
  /** How many there are. */
  readonly size: number;
  /** Gives a transaction of the very same bytes as a known one its ids and TxFacts. */
  recognise(tx: TxView): void;
}

/** Whether what is done with a block deserves turns of its own. */
export function isLarge({ totalSize }: BlockView): boolean {
  return totalSize > LARGE_BLOCK_BYTES;
}

/** Looks which of a block's transactions are known: those have their ids and facts then. A large block's in turns. */
export async function recognise(block: BlockView, known: CheckedTransactions | null): Promise<void> {
  if (known === null || known.size === 0) return;
  const looking = visitTransactions(block, (tx) => {
    if (tx.facts === null) known.recognise(tx);
  });
  if (isLarge(block)) await runInSlices(looking);
  else for (const _ of looking);
}

/**
 * Makes the ids of a large block's transactions, and its roots where there are threads for that; they stay with it.
 * Those of a small one are made when asked for.
 */
export async function identify(block: BlockView, hasher: BlockHasher | undefined): Promise<void> {
  // Roots that were checked were made, and ids before them.
  if (block.roots !== null || (block.merkleChecked && block.witnessChecked)) return;
  // What is too heavy, or has more transactions than fit, is no block: it is looked at in turns.
  const fits = block.weight <= MAX_BLOCK_WEIGHT && block.txs.length <= MAX_BLOCK_TXS;
  if (hasher !== undefined && fits && (await hasher.hash(block))) return;
  await runInSlices(visitTransactions(block, (tx) => tx.txid && tx.wtxid));
}

/** In turns of the event loop, none of them shared with what the caller did before. */
async function runInSlices(looking: Generator<void, void>): Promise<void> {
  await yieldToLoop();
  await new TimeSlice().run(looking);
}

function* visitTransactions({ txs }: BlockView, visit: (tx: TxView) => unknown): Generator<void, void> {
  for (let i = 0; i < txs.length; i++) {
    visit(txs[i] as TxView);
    if (i % SLICE_TXS === 0) yield;
  }
}
