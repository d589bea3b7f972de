// Declares echo; types.ts says what a declaration is for.
import { ECHO_ARGS } from './members.js';
import type { MethodSpec } from './types.js';

export const echo: MethodSpec = {
  name: 'echo',
  category: 'hidden',
  runs: 'front',
  description: 'Gives its arguments back. For testing.',
  args: ECHO_ARGS,
  results: [],
  examples: [],
};
