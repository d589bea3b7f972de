// echojson does what echo does. Only bitcoin-cli treats the two methods differently.

import { ECHO_ARGS } from '../../declare/members.js';
import { declare } from '../../declare/parameters.js';

export const spec = declare({
  name: 'echojson',
  category: 'hidden',
  runs: 'front',
  description: 'Returns its arguments. For testing only. adit-cli and bitcoin-cli convert the arguments of this call to JSON.',
  args: ECHO_ARGS.map((arg) => ({ ...arg, type: 'obj' })),
  results: [],
  examples: [],
});

export { echo as echojson } from './echo.js';
