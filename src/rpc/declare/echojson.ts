// Declares echojson; types.ts says what a declaration is for.
import { ECHO_ARGS } from './members.js';
import type { MethodSpec } from './types.js';

export const echojson: MethodSpec = {
  name: 'echojson',
  category: 'hidden',
  runs: 'front',
  description: 'Gives its arguments back. For testing; bitcoin-cli turns the arguments of this one into JSON.',
  args: ECHO_ARGS,
  results: [],
  examples: [],
};
