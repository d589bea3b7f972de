// Joins header, coinbase and the transactions of a template into a block.
import { ByteWriter } from '../../consensus/bytes/writer.js';
import type { ServedTemplate, SharedTransactions } from '../messages.js';

/** Returns views of the transactions in shared memory, in block order. */
export function transactionsOf({ segments, segmentOf, offsets, lengths }: SharedTransactions): Uint8Array[] {
  return Array.from(segmentOf, (segment, i) => (segments[segment] as Uint8Array).subarray(offsets[i], offsets[i] + lengths[i]));
}

/** Returns the encoded block of a header, a coinbase and a template's transactions. */
export function joinBlock(header: Uint8Array, coinbase: Uint8Array, { transactions }: Pick<ServedTemplate, 'transactions'>): Uint8Array {
  const count = transactions.lengths.length;
  let size = header.length + 9 + coinbase.length;
  for (const length of transactions.lengths) size += length;
  const writer = new ByteWriter(size)
    .bytes(header)
    .compactSize(count + 1)
    .bytes(coinbase);
  for (const transaction of transactionsOf(transactions)) writer.bytes(transaction);
  return writer.finish();
}
