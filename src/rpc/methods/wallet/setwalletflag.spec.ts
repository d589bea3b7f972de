import { bool, obj, str } from '../../declare/parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const setwalletflag: MethodSpec = {
  name: 'setwalletflag',
  category: 'wallet',
  runs: 'wallet',
  holds: 'wallet',
  description: 'Changes a flag of the wallet.',
  args: [str('flag', 'Its name; avoid_reuse is the only one that can change'), bool('value', 'On or off', { default: 'true' })],
  results: [obj([str('flag_name', 'Name of the flag'), bool('flag_state', 'What it is now'), str('warnings?', 'Things to know')])],
  examples: [{ cli: 'avoid_reuse', rpc: '"avoid_reuse"' }],
};
