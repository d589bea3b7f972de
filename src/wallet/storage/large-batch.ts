// Batches of more rows than the thread can write at once (some 2 us each), still all or nothing: the rows are first put
// aside in parts, then a row says that all of them are there, and from then on they count. Whatever moment the process
// dies at, the next load either writes what is missing or throws the parts away.
import { Slicer } from '../../lib/slicer.js';
import type { BatchOp, BatchOptions, Store } from '../../storage/store.js';
import { WALLET_PREFIX, WALLET_SCHEMA_PARTS, walletKey } from './layout.js';
import { bytesOf, packRow, unpackRow } from './rows.js';
import { WalletBatch } from './wallet-batch.js';

/** Rows that a plain batch may have: some ten milliseconds. */
export const LARGE_BATCH = 5000;
/** Rows of a part: about a millisecond. */
const PART_ROWS = 500;
const WHOLE_KEY = walletKey(WALLET_PREFIX.batchWhole);
const SCHEMA_KEY = walletKey(WALLET_PREFIX.schema);

const partKey = (number: number): Uint8Array => walletKey(WALLET_PREFIX.batchPart, number);
const packPart = (ops: readonly BatchOp[]): Uint8Array => packRow(ops.map((op) => (op.type === 'put' ? [op.key, op.value] : [op.key])));

/** The parts of a large batch, in order, one at a time. @param note may add to each */
export function* partsOf(batch: WalletBatch, note: (part: WalletBatch) => void): Generator<WalletBatch> {
  for (let from = 0; from < batch.ops.length; from += PART_ROWS) {
    const part = new WalletBatch(batch.ops.slice(from, from + PART_ROWS));
    note(part);
    yield part;
  }
}

/** Writes all or nothing, with pauses. Nothing else may be written meanwhile. */
export async function writeParts(store: Store, parts: Iterable<WalletBatch>, options: BatchOptions): Promise<void> {
  const slicer = new Slicer();
  let count = 0;
  for (const { ops } of parts) {
    await store.batch([{ type: 'put', key: partKey(count++), value: packPart(ops) }]);
    if (slicer.due) await slicer.pause();
  }
  const schema = await store.get(SCHEMA_KEY);
  const whole: BatchOp[] = [{ type: 'put', key: WHOLE_KEY, value: packRow([count, schema ?? null]) }];
  if (schema) whole.push({ type: 'put', key: SCHEMA_KEY, value: Uint8Array.of(WALLET_SCHEMA_PARTS) });
  await store.batch(whole, options);
  await finishParts(store);
}

/** Brings a batch that was cut off to its end, or away: before anything else is read. */
export async function finishParts(store: Store): Promise<void> {
  const [from, to] = [partKey(0), walletKey(WALLET_PREFIX.batchPart + 1)];
  const whole = await store.get(WHOLE_KEY);
  if (whole) {
    const [count, schema] = unpackRow(whole);
    const slicer = new Slicer();
    for (let number = 0; number < Number(count); number++) {
      const part = await store.get(partKey(number));
      if (part) await store.batch(unpackPart(part));
      if (slicer.due) await slicer.pause();
    }
    const done: BatchOp[] = [{ type: 'del', key: WHOLE_KEY }];
    if (schema instanceof Uint8Array) done.push({ type: 'put', key: SCHEMA_KEY, value: bytesOf(schema) });
    await store.batch(done);
  }
  for await (const _ of store.iterate({ gte: from, lt: to, limit: 1 })) await store.clear(from, to);
}

function unpackPart(part: Uint8Array): BatchOp[] {
  return unpackRow(part).map((row): BatchOp => {
    const [key, ...value] = row as Uint8Array[];
    return value.length > 0 ? { type: 'put', key, value: value[0] } : { type: 'del', key };
  });
}
