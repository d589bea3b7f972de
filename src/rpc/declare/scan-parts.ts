// What the methods that look for descriptors have in common.
import { obj, range, str } from './parts.js';
import type { ArgSpec } from './types.js';

/** Descriptors, with ranges. */
export const SCAN_OBJECTS: readonly ArgSpec[] = [
  str('descriptor?', 'A descriptor', { holds: 'descriptor' }),
  obj('A descriptor with a range', { optional: true }, [
    str('desc', 'A descriptor', { holds: 'descriptor' }),
    range('range', 'The last index, or [begin,end], both included', { default: '1000' }),
  ]),
];
