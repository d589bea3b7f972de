import { declare } from '../../declare/parameters.js';
import { hex, num, obj, str } from '../../declare/parts.js';

export const exportasmap = declare({
  name: 'exportasmap',
  category: 'network',
  runs: 'node',
  since: 32,
  description: 'Writes the map of autonomous systems that the node uses (-asmap) to a file. An existing file is overwritten.',
  args: [str('path', 'The file. A relative path is relative to the network folder')],
  results: [
    obj([
      str('path', 'Absolute path of the file'),
      num('bytes_written', 'Size of the file in bytes'),
      hex('file_hash', 'SHA256 of the file'),
    ]),
  ],
  examples: [{ cli: '"asmap.dat"', rpc: '"asmap.dat"' }],
});
