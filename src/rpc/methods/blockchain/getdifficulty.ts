import { declare } from '../../declare/parameters.js';
import { num } from '../../declare/parts.js';
import type { FrontRun } from '../../front/context.js';
import { Double } from '../../wire/values.js';

export const spec = declare({
  name: 'getdifficulty',
  category: 'blockchain',
  runs: 'front',
  cacheable: true,
  description: 'Returns the proof-of-work difficulty of the tip as a multiple of the lowest difficulty.',
  args: [],
  results: [num('The difficulty')],
  examples: [{ cli: '', rpc: '' }],
});

export const getdifficulty: FrontRun<typeof spec> = (_, ctx) => new Double(ctx.snapshot().difficulty);
