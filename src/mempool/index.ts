// Face of this module.
export { type AcceptResult, isBusy } from './accept/acceptor.js';
export { type MempoolEntry, StoredTx } from './entry.js';
export type { FeeRange } from './fees/confirm-stats.js';
export { FeeEstimator } from './fees/fee-estimator.js';
export { findOutputs } from './find-outputs.js';
export { JobPins } from './job-pins.js';
export { Mempool } from './mempool.js';
export { ChunkFinder, sortedChunks, sortedRows } from './order.js';
export type { PackageTxResult } from './package/package-acceptor.js';
export { isChildWithLoneParents, MAX_PACKAGE_COUNT, packageFaultText, packageHash } from './package/package-shape.js';
export { PoolFiles } from './persist/pool-files.js';
export { copyTables, type PoolCopy, type PoolTables, tablesOf, type WholeTables } from './pool-tables.js';
export type { TxOutcome } from './recent-outcomes.js';
export { collectAncestors } from './relatives.js';
export { FLAG, NO_ROW } from './rows.js';
export type { PoolSnapshot } from './snapshot.js';
export type { PoolListener, RemovalReason } from './tx-pool.js';
