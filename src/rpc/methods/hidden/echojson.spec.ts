import { ECHO_ARGS } from '../../declare/members.js';
import type { MethodSpec } from '../../declare/types.js';

export const echojson: MethodSpec = {
  name: 'echojson',
  category: 'hidden',
  runs: 'front',
  description: 'Gives its arguments back. For testing; bitcoin-cli turns the arguments of this one into JSON.',
  args: ECHO_ARGS,
  results: [],
  examples: [],
};
