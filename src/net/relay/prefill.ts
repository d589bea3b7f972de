// Selects the transactions that a compact block contains in full besides its coinbase: those that this node lacked
// itself, since its peers may lack them too (BIP-0152's "expected to be missing";
// docs/decisions/0030-compact-block-prefill.md).
import type { TxView } from '../../consensus/tx/tx-view.js';

/** Bytes that TCP sends before the first acknowledgement: ten segments (RFC 6928). */
const WINDOW_BYTES = 14_600;
/** Maximum number of bytes of a transaction's index. */
const INDEX_BYTES = 3;
const SHORT_ID_BYTES = 6;
/** Bytes of a compact block besides its transactions: frame, header, nonce and counts. */
const FIXED_BYTES = 24 + 88 + 8;

/**
 * Returns ascending positions of the prefilled transactions, the coinbase first. They must fit into the last TCP window
 * that the message needs anyway: another window would cost the round trip that prefilling saves. Smaller ones are taken
 * first, so that as many as possible fit.
 * @param lacked positions of transactions that this node lacked
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
