import { declare } from '../../declare/parameters.js';
import { bool } from '../../declare/parts.js';
import { discover } from '../hidden/discover.spec.js';

export const getopenrpcinfo = declare({
  name: 'getopenrpcinfo',
  category: 'control',
  runs: 'front',
  since: 32,
  description: 'Returns the OpenRPC document of this node, as rpc.discover does.',
  args: [bool('show_hidden', 'Whether to include methods that help does not list', { default: 'false' })],
  results: discover.results,
  examples: [{ cli: '', rpc: '' }],
});
