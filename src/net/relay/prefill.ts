// Which transactions a compact block is sent with besides its coinbase: those that this node itself lacked when the
// block came, since peers may lack the same (BIP-0152's "expected to be missing"; proposed for Bitcoin Core by 0xB10C
// and in its pull request 35558, where nodes that were sent such blocks put 90 % of them together without asking, and
// others 57 %; half of them carried less than 900 bytes).
import type { TxView } from '../../consensus/tx/tx-view.js';

/** What a connection sends before the first answer: ten segments (RFC 6928). */
const WINDOW_BYTES = 14_600;
/** Bytes of a transaction's place, at most. */
const INDEX_BYTES = 3;
const SHORT_ID_BYTES = 6;
/** Bytes around the transactions of a compact block: the frame, header, nonce and counts. */
const FIXED_BYTES = 24 + 88 + 8;

/**
 * Places of what is sent whole, rising, the coinbase first. What does not fit into the last window that the message
 * needs anyway stays out: another window costs the round trip that is to be saved. Smaller ones go first, so that as
 * many as possible fit.
 * @param lacked places of what this node lacked
 */
export function choosePrefilled(txs: readonly TxView[], lacked: readonly number[]): number[] {
  const coinbase = txs[0] as TxView;
  const bare = FIXED_BYTES + coinbase.totalSize + SHORT_ID_BYTES * (txs.length - 1);
  let spareBytes = WINDOW_BYTES - (bare % WINDOW_BYTES);
  const chosen = [0];
  const sizeOf = (place: number): number => (txs[place] as TxView).totalSize;
  for (const place of lacked.filter((one) => one > 0).sort((a, b) => sizeOf(a) - sizeOf(b))) {
    const bytes = sizeOf(place) + INDEX_BYTES - SHORT_ID_BYTES;
    if (bytes > spareBytes) break;
    spareBytes -= bytes;
    chosen.push(place);
  }
  return chosen.sort((a, b) => a - b);
}
