import { hex, num, obj, str } from '../../declare/parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const exportasmap: MethodSpec = {
  name: 'exportasmap',
  category: 'network',
  runs: 'node',
  since: 32,
  description: 'Writes the map of autonomous systems that the node uses (-asmap) to a file, over one that is there.',
  args: [str('path', 'The file, relative to the network folder')],
  results: [obj([str('path', 'Its absolute path'), num('bytes_written', 'Its bytes'), hex('file_hash', 'The SHA256 of them')])],
  examples: [{ cli: '"asmap.dat"', rpc: '"asmap.dat"' }],
};
