// Parts of declarations of methods that scan for descriptors.
import { obj, range, str } from './parts.js';

/** Elements of a list of scan objects: descriptors, possibly with a range. */
export const SCAN_OBJECTS = [
  str('descriptor?', 'A descriptor', { holds: 'descriptor' }),
  obj('A descriptor with a range', { optional: true }, [
    str('desc', 'A descriptor', { holds: 'descriptor' }),
    range('range', 'The last index, or [begin,end], both inclusive', { default: '1000' }),
  ]),
] as const;
