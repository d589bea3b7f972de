// Declares getopenrpcinfo.

import type { MethodSpec } from '../../declare/types.js';
import { discover } from '../hidden/discover.spec.js';

export const getopenrpcinfo: MethodSpec = {
  name: 'getopenrpcinfo',
  category: 'control',
  runs: 'front',
  since: 32,
  description: 'The OpenRPC document, as rpc.discover gives it.',
  args: [{ name: 'show_hidden', type: 'bool', default: 'false', help: 'Whether methods that help does not list are in it' }],
  results: discover.results,
  examples: [{ cli: '', rpc: '' }],
};
