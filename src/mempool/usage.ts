// Estimates the memory that Core would use for a transaction (CTxMemPool::DynamicMemoryUsage). -maxmempool limits this
// memory, so the estimate decides when eviction starts. Sizes are those of a 64-bit glibc build. The estimate need not
// match Core's exactly, but must grow in the same way.
import type { TxView } from '../consensus/tx/tx-view.js';

/** Returns the memory that malloc uses for a request: the request plus one word, rounded up to 16 bytes. */
function malloc(bytes: number): number {
  return bytes === 0 ? 0 : ((bytes + 31) >>> 4) << 4;
}

/** CTransaction, and its reference count in a separate allocation. */
const TX_OBJECT = 120;
const TX_COUNT = 24;
const TX_IN = 96;
const TX_OUT = 40;
/** Number of script bytes that Core stores inside the object. */
const INLINE_SCRIPT = 28;
/** One std::vector. */
const VECTOR = 24;
/** CTxMemPoolEntry and its nodes in the multi-index. */
const ENTRY_NODE = 296 + 96;
/** A node of Core's map from outpoint to spending transaction (mapNextTx). */
const SPENT_NODE = 48;
/** vTxHashes: hash and iterator. */
const HASH_ROW = 40;
/** Node in a set of parents or children. */
const LINK_NODE = 40;

/** Returns the bytes of the list of all hashes with this capacity. */
export function hashListUsage(capacity: number): number {
  return malloc(capacity * HASH_ROW);
}

/** Bytes of both ends of a parent-child link. */
export const LINK_USAGE = 2 * malloc(LINK_NODE);
/** Bytes of a prioritisation. */
export const DELTA_USAGE = malloc(72);

/** Bytes of an entry with its transaction. */
export function entryUsage(tx: TxView): number {
  let total = malloc(TX_OBJECT) + malloc(TX_COUNT) + malloc(tx.inputCount * TX_IN) + malloc(tx.outputCount * TX_OUT);
  for (let i = 0; i < tx.inputCount; i++) {
    total += scriptUsage(tx.scriptSigLength(i)) + malloc(SPENT_NODE);
    if (tx.hasWitness) total += malloc(tx.witnessCount(i) * VECTOR) + tx.sumOfWitness(i, malloc);
  }
  for (let i = 0; i < tx.outputCount; i++) total += scriptUsage(tx.outputScriptLength(i));
  return total + malloc(ENTRY_NODE);
}

function scriptUsage(length: number): number {
  return length > INLINE_SCRIPT ? malloc(length) : 0;
}
