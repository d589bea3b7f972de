// Parts of declarations of methods that scan for descriptors.
import { RPC_CODE } from '../errors.js';
import { obj, range, str } from './parts.js';

/** Argument: type of block filters (BIP-0158). */
export const FILTER_TYPE_ARG = str('filtertype', 'The type of filter', {
  oneOf: ['basic'],
  refusal: { code: RPC_CODE.INVALID_ADDRESS_OR_KEY, text: 'Unknown filtertype' },
  default: 'basic',
});

/** Elements of a list of scan objects: descriptors, possibly with a range. */
export const SCAN_OBJECTS = [
  str('descriptor?', 'A descriptor', { holds: 'descriptor' }),
  obj('A descriptor with a range', { optional: true }, [
    str('desc', 'A descriptor', { holds: 'descriptor' }),
    range('range', 'The last index, or [begin,end], both inclusive', { default: '1000' }),
  ]),
] as const;
