// Face of this module for the node thread. Threads that serve miners have the face serve/index.ts.
export { SHARE_RESULTS } from './session/sink.js';
export type { WorkerFacts, WorkerPage, WorkerQuery, WorkerSums } from './statistics/worker-page.js';
export type { ChangedRow } from './statistics/worker-table.js';
export type { NamedNetwork } from './work/payouts.js';
