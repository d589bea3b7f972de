// Face of the thread that serves Stratum V2, and of its handle on the node thread.
export { CLOSE_REASONS, ServeCounters, type ServeFigures } from './counters.js';
export type { ServeOptions } from './messages.js';
export { runServe, type ServeNews, type ServingThread, startServe } from './start-serve.js';
