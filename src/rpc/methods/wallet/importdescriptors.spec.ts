// Declares importdescriptors.
import type { MethodSpec } from '../../declare/types.js';

export const importdescriptors: MethodSpec = {
  name: 'importdescriptors',
  category: 'wallet',
  runs: 'wallet',
  holds: 'wallet',
  description: 'Imports descriptors into a descriptor wallet, then scans the blocks from the earliest time on.',
  args: [
    {
      name: 'requests',
      type: 'arr',
      help: 'What to import',
      inner: [
        {
          name: '',
          type: 'obj',
          help: '',
          inner: [
            { name: 'desc', type: 'str', holds: 'descriptor', help: 'The descriptor with checksum' },
            { name: 'active', type: 'bool', default: 'false', help: 'It gives out addresses from now on' },
            { name: 'range', type: 'range', optional: true, help: 'Last index, or first and last' },
            { name: 'next_index', type: 'num', optional: true, help: 'The next index given out' },
            { name: 'timestamp', type: 'num', help: 'From when on it matters: seconds since 1970, or "now"' },
            { name: 'internal', type: 'bool', default: 'false', help: 'It is for change' },
            { name: 'label', type: 'str', default: '""', help: 'Label of its address' },
          ],
        },
      ],
    },
  ],
  results: [
    {
      type: 'arr',
      help: 'One for each request, in order',
      inner: [
        {
          type: 'obj',
          help: '',
          inner: [
            { type: 'bool', key: 'success', help: 'Whether it was imported' },
            { type: 'arr', key: 'warnings', optional: true, help: 'Things to know', inner: [{ type: 'str', help: 'A warning' }] },
            {
              type: 'obj',
              key: 'error',
              optional: true,
              help: 'Why not',
              inner: [
                { type: 'num', key: 'code', help: 'Code' },
                { type: 'str', key: 'message', help: 'Text' },
              ],
            },
          ],
        },
      ],
    },
  ],
  examples: [{ cli: '\'[{ "desc": "<my descriptor>", "timestamp":1455191478 }]\'' }],
  waits: true,
};
