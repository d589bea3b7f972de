// Converts the transactions of a template from the JSON array of replies to bytes.

/** Transactions one after another, in shared memory. */
export interface TransactionBytes {
  readonly bytes: Uint8Array;
  readonly offsets: Int32Array;
  readonly lengths: Int32Array;
}

/** @param json array of objects with the member `data`, as a node encodes it; null for none */
export function bytesOfTransactions(json: Uint8Array | null): TransactionBytes {
  const text = json === null ? '[]' : Buffer.from(json.buffer, json.byteOffset, json.byteLength).toString('latin1');
  const entries = JSON.parse(text) as { data: string }[];
  const lengths = Int32Array.from(entries, ({ data }) => data.length / 2);
  const offsets = new Int32Array(entries.length);
  let size = 0;
  for (const [i, length] of lengths.entries()) {
    offsets[i] = size;
    size += length;
  }
  const bytes = Buffer.from(new SharedArrayBuffer(size));
  for (const [i, { data }] of entries.entries()) bytes.write(data, offsets[i], 'hex');
  return { bytes: new Uint8Array(bytes.buffer), offsets, lengths };
}
