import { follows } from '../../../policy/compat.js';
import { declare } from '../../declare/parameters.js';
import { num } from '../../declare/parts.js';
import type { FrontRun } from '../../front/context.js';

export const spec = declare({
  name: 'uptime',
  category: 'control',
  runs: 'front',
  description: 'Returns the number of seconds since the node started.',
  args: [],
  results: [num('The seconds')],
  examples: [{ cli: '', rpc: '' }],
});

/** Uses the node's clock, which may be mocked. Since release 31, uses the monotonic clock. */
export const uptime: FrontRun<typeof spec> = (_, ctx) =>
  follows(ctx.compat, 31) ? Math.floor(process.uptime()) : ctx.nowSeconds() - ctx.startedSeconds;
