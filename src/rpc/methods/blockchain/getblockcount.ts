import { declare } from '../../declare/parameters.js';
import { num } from '../../declare/parts.js';
import type { FrontRun } from '../../front/context.js';

export const spec = declare({
  name: 'getblockcount',
  category: 'blockchain',
  runs: 'front',
  cacheable: true,
  description: 'Returns the height of the best validated chain. The genesis block has height 0.',
  args: [],
  results: [num('The height')],
  examples: [{ cli: '', rpc: '' }],
});

export const getblockcount: FrontRun<typeof spec> = (_, ctx) => ctx.snapshot().height;
