// Declares getopenrpcinfo; types.ts says what a declaration is for.
import { discover } from './discover.js';
import type { MethodSpec } from './types.js';

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
