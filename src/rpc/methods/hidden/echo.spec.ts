import { ECHO_ARGS } from '../../declare/members.js';
import type { MethodSpec } from '../../declare/types.js';

export const echo: MethodSpec = {
  name: 'echo',
  category: 'hidden',
  runs: 'front',
  description: 'Gives its arguments back. For testing.',
  args: ECHO_ARGS,
  results: [],
  examples: [],
};
