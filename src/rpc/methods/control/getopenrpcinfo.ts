import { declare } from '../../declare/parameters.js';
import { bool } from '../../declare/parts.js';
import type { FrontRun } from '../../front/context.js';
import { documentOf } from '../../front/simple.js';
import { spec as discover } from '../hidden/discover.js';

export const spec = declare({
  name: 'getopenrpcinfo',
  category: 'control',
  runs: 'front',
  since: 32,
  description: 'Returns the OpenRPC document of this node, as rpc.discover does.',
  args: [bool('show_hidden', 'Whether to include methods that help does not list', { default: 'false' })],
  results: discover.results,
  examples: [{ cli: '', rpc: '' }],
});

export const getopenrpcinfo: FrontRun<typeof spec> = ({ show_hidden }, ctx) => documentOf(ctx, show_hidden);
