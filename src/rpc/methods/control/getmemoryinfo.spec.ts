// Declares getmemoryinfo.
import type { MethodSpec } from '../../declare/types.js';

export const getmemoryinfo: MethodSpec = {
  name: 'getmemoryinfo',
  category: 'control',
  runs: 'node',
  repeatable: true,
  description: 'Memory in use.',
  args: [
    {
      name: 'mode',
      type: 'str',
      default: '"stats"',
      help: 'Which figures:\n- "stats" is general\n- "mallocinfo" gives an XML text about the heap.',
    },
  ],
  results: [
    {
      type: 'obj',
      when: 'mode "stats"',
      help: '',
      inner: [
        {
          type: 'obj',
          key: 'locked',
          help: 'Pages that are kept from being swapped out',
          inner: [
            { type: 'num', key: 'used', help: 'Bytes used' },
            { type: 'num', key: 'free', help: 'Bytes left' },
            { type: 'num', key: 'total', help: 'Bytes in all' },
            { type: 'num', key: 'locked', help: 'Bytes that could be locked' },
            { type: 'num', key: 'chunks_used', help: 'Chunks in use' },
            { type: 'num', key: 'chunks_free', help: 'Chunks left' },
          ],
        },
      ],
    },
    { type: 'str', when: 'mode "mallocinfo"', help: '"<malloc version="1">..."' },
  ],
  examples: [{ cli: '', rpc: '' }],
};
