import { ECHO_ARGS } from '../../declare/members.js';
import type { MethodSpec } from '../../declare/types.js';

export const echo: MethodSpec = {
  name: 'echo',
  category: 'hidden',
  runs: 'front',
  description: 'Returns its arguments. For testing only.',
  args: ECHO_ARGS,
  results: [],
  examples: [],
};
