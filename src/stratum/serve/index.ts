// Face of the thread that serves miners, and of its handle on the node thread.
export { CLOSE_REASONS, StratumCounters, type StratumFigures } from './counters.js';
export type { StratumBind, StratumOptions, ToStratum } from './messages.js';
export { runStratum, type StratumNews, type StratumThread, startStratum } from './start-serve.js';
export { createWork } from './work-options.js';
