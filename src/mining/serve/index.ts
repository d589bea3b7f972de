// Face of this module for threads that serve miners.
export { Admissions } from './admissions.js';
export { BlockKeeper } from './block-keeper.js';
export { countFirstByte, FIRST_BYTE_BUCKETS, FIRST_BYTE_NAMES, firstByteHistogram } from './first-byte.js';
export { joinBlock, transactionsOf } from './join-block.js';
export { listenAt } from './listen.js';
export { ServeLog } from './serve-log.js';
export { sourceOf } from './source.js';
export { type Answer, type NewsOf, type Order, type Serving, type Start, startServing } from './start-serving.js';
