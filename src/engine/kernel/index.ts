// Exports of the kernel. Instances over the slots' memory use parse, hashing, emit and finish; an instance over a shard's
// memory uses the shard's functions.

export * from './layout';
export { parse } from './parse';
export { CHECK, checkHashes, SCRATCH_BYTES, SPENT } from './hashing';
export { emit } from './records';
export {
  apply, ASK_ALL, ASK_COINBASE, ASK_NONE, changedCount, coinCount, evict, inAt, inBytes, listChanged, listMissing, loadRows, markClean, nextChanged, open, outAt, rowCount, usedBytes,
} from './shard';
export { finish } from './finish';
export { CHECK_ECDSA, CHECK_KEY, CHECK_KEY_HASH, CHECK_MESSAGE, CHECK_SCHNORR, CHECK_TAG, layOutCheck, openTx } from './checks';
export { SPENT_BYTES } from './spent';
