// Face of this module.
export { BASIC_FILTER, BasicFilterBuilder, filterHash, filterHeader, filterKey } from './basic-filter.js';
export { matchesAny } from './gcs.js';
