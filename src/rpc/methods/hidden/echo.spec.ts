import { ECHO_ARGS } from '../../declare/members.js';
import { declare } from '../../declare/parameters.js';

export const echo = declare({
  name: 'echo',
  category: 'hidden',
  runs: 'front',
  description: 'Returns its arguments. For testing only.',
  args: ECHO_ARGS,
  results: [],
  examples: [],
});
