// Parsing, hashing and checking a large block take some milliseconds each: short calls run in between.

import type { BlockView } from '../../consensus/block/block-view.js';
import type { TxView } from '../../consensus/tx/tx-view.js';
import { Turns, yieldToLoop } from '../../lib/turns.js';

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

/**
 * Makes the ids of a block's transactions, which stay with them, and looks which of them are known; a large block's in
 * turns, of which the first comes before.
 */
export async function identify(block: BlockView, known: CheckedTransactions | null): Promise<void> {
  const source = known !== null && known.size > 0 ? known : null;
  if (isLarge(block)) {
    await yieldToLoop();
    await new Turns().run(identifying(block, source));
  } else if (source !== null) for (const _ of identifying(block, source));
}

function* identifying({ txs }: BlockView, known: CheckedTransactions | null): Generator<void, void> {
  for (const [i, tx] of txs.entries()) {
    if (tx.facts === null) known?.recognise(tx);
    // Asked for, they are kept.
    void tx.txid;
    void tx.wtxid;
    if (i % SLICE_TXS === 0) yield;
  }
}
