import { declare } from '../../declare/parameters.js';
import { bool, obj, str } from '../../declare/parts.js';

export const setwalletflag = declare({
  name: 'setwalletflag',
  category: 'wallet',
  runs: 'wallet',
  holds: 'wallet',
  description: 'Changes a flag of the wallet.',
  args: [str('flag', 'Name of the flag. Only avoid_reuse can be changed'), bool('value', 'The new state', { default: 'true' })],
  results: [obj([str('flag_name', 'Name of the flag'), bool('flag_state', 'The new state'), str('warnings?', 'Warnings')])],
  examples: [{ cli: 'avoid_reuse', rpc: '"avoid_reuse"' }],
});
