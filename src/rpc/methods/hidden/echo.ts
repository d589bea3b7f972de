import { ECHO_ARGS } from '../../declare/members.js';
import { declare } from '../../declare/parameters.js';
import type { FrontRun } from '../../front/context.js';

export const spec = declare({
  name: 'echo',
  category: 'hidden',
  runs: 'front',
  description: 'Returns its arguments. For testing only.',
  args: ECHO_ARGS,
  results: [],
  examples: [],
});

export const echo: FrontRun<typeof spec> = ({ args }, _ctx) => args;
