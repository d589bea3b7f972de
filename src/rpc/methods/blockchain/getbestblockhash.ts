import { declare } from '../../declare/parameters.js';
import { hex } from '../../declare/parts.js';
import type { FrontRun } from '../../front/context.js';

export const spec = declare({
  name: 'getbestblockhash',
  category: 'blockchain',
  runs: 'front',
  cacheable: true,
  description: 'Returns the hash of the tip of the best validated chain.',
  args: [],
  results: [hex('The block hash')],
  examples: [{ cli: '', rpc: '' }],
});

export const getbestblockhash: FrontRun<typeof spec> = (_, ctx) => ctx.snapshot().hashHex;
