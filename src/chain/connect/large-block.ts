// Parsing, hashing and checking a large block take some milliseconds each: whoever waits for something small goes in
// between.

import type { BlockView } from '../../consensus/block/block-view.js';
import { Turns, yieldToLoop } from '../../lib/turns.js';

/** Blocks above are parsed and checked in separate turns of the event loop. */
const LARGE_BLOCK_BYTES = 500_000;
/** Transactions hashed between two looks at the clock. */
const SLICE_TXS = 128;

/** Whether what is done with a block deserves turns of its own. */
export function isLarge({ totalSize }: BlockView): boolean {
  return totalSize > LARGE_BLOCK_BYTES;
}

/** Makes the ids of a large block's transactions, which stay with them, in turns; the first turn comes before. */
export async function hashIds(block: BlockView): Promise<void> {
  await yieldToLoop();
  await new Turns().run(hashing(block));
}

function* hashing({ txs }: BlockView): Generator<void, void> {
  for (let i = 0; i < txs.length; i++) {
    // Asked for, they are kept.
    void txs[i]?.txid;
    void txs[i]?.wtxid;
    if (i % SLICE_TXS === 0) yield;
  }
}
