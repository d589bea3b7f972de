import { ADDED } from '../../../policy/compat.js';
import { arr, bool, num, obj, range, str } from '../../declare/parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const importdescriptors: MethodSpec = {
  name: 'importdescriptors',
  category: 'wallet',
  runs: 'wallet',
  holds: 'parts',
  description: 'Imports descriptors into a descriptor wallet, then scans the blocks from the earliest time on.',
  args: [
    arr('requests', 'What to import', [
      obj([
        str('desc', 'The descriptor with checksum', { holds: 'descriptor' }),
        bool('active', 'It gives out addresses from now on', { default: 'false' }),
        range('range?', 'Last index, or first and last'),
        num('next_index?', 'The next index given out'),
        num('timestamp', 'From when on it matters: seconds since 1970, or "now"'),
        bool('internal', 'It is for change', { default: 'false' }),
        str('label', 'Label of its address', { default: '""' }),
      ]),
    ]),
    obj('options?', 'Options of adit', { since: ADDED }, [bool('rescan', 'Scan the blocks afterwards', { default: 'true' })]),
  ],
  results: [
    arr('One for each request, in order', [
      obj([
        bool('success', 'Whether it was imported'),
        arr('warnings?', 'Things to know', [str('A warning')]),
        obj('error?', 'Why not', [num('code', 'Code'), str('message', 'Text')]),
      ]),
    ]),
  ],
  examples: [{ cli: '\'[{ "desc": "<my descriptor>", "timestamp":1455191478 }]\'' }],
  waits: true,
};
