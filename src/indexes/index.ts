// Face of this module for the node thread.
export type { FilterIndex } from './filter-index.js';
export { Indexes } from './indexes.js';
