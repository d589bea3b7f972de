import { bool } from '../../declare/parts.js';
import type { MethodSpec } from '../../declare/types.js';
import { discover } from '../hidden/discover.spec.js';

export const getopenrpcinfo: MethodSpec = {
  name: 'getopenrpcinfo',
  category: 'control',
  runs: 'front',
  since: 32,
  description: 'The OpenRPC document, as rpc.discover gives it.',
  args: [bool('show_hidden', 'Whether methods that help does not list are in it', { default: 'false' })],
  results: discover.results,
  examples: [{ cli: '', rpc: '' }],
};
