// Declares exportasmap.
import type { MethodSpec } from '../../declare/types.js';

export const exportasmap: MethodSpec = {
  name: 'exportasmap',
  category: 'network',
  runs: 'node',
  since: 32,
  description: 'Writes the map of autonomous systems that the node uses (-asmap) to a file, over one that is there.',
  args: [{ name: 'path', type: 'str', help: 'The file, relative to the network folder' }],
  results: [
    {
      type: 'obj',
      help: '',
      inner: [
        { type: 'str', key: 'path', help: 'Its absolute path' },
        { type: 'num', key: 'bytes_written', help: 'Its bytes' },
        { type: 'hex', key: 'file_hash', help: 'The SHA256 of them' },
      ],
    },
  ],
  examples: [{ cli: '"asmap.dat"', rpc: '"asmap.dat"' }],
};
