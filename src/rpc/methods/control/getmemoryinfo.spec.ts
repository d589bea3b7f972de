import { num, obj, str } from '../../declare/parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const getmemoryinfo: MethodSpec = {
  name: 'getmemoryinfo',
  category: 'control',
  runs: 'node',
  repeatable: true,
  description: 'Memory in use.',
  args: [str('mode', 'Which figures:\n- "stats" is general\n- "mallocinfo" gives an XML text about the heap.', { default: '"stats"' })],
  results: [
    obj({ when: 'mode "stats"' }, [
      obj('locked', 'Pages that are kept from being swapped out', [
        num('used', 'Bytes used'),
        num('free', 'Bytes left'),
        num('total', 'Bytes in all'),
        num('locked', 'Bytes that could be locked'),
        num('chunks_used', 'Chunks in use'),
        num('chunks_free', 'Chunks left'),
      ]),
    ]),
    str('"<malloc version="1">..."', { when: 'mode "mallocinfo"' }),
  ],
  examples: [{ cli: '', rpc: '' }],
};
