// What the methods that look for descriptors have in common.
import type { ArgSpec } from './types.js';

/** Descriptors, with ranges. */
export const SCAN_OBJECTS: readonly ArgSpec[] = [
  { name: 'descriptor', type: 'str', holds: 'descriptor', optional: true, help: 'A descriptor' },
  {
    name: '',
    type: 'obj',
    optional: true,
    help: 'A descriptor with a range',
    inner: [
      { name: 'desc', type: 'str', holds: 'descriptor', help: 'A descriptor' },
      { name: 'range', type: 'range', default: '1000', help: 'The last index, or [begin,end], both included' },
    ],
  },
];
