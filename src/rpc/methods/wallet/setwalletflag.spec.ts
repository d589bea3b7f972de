// Declares setwalletflag.
import type { MethodSpec } from '../../declare/types.js';

export const setwalletflag: MethodSpec = {
  name: 'setwalletflag',
  category: 'wallet',
  runs: 'wallet',
  holds: 'wallet',
  description: 'Changes a flag of the wallet.',
  args: [
    { name: 'flag', type: 'str', help: 'Its name; avoid_reuse is the only one that can change' },
    { name: 'value', type: 'bool', default: 'true', help: 'On or off' },
  ],
  results: [
    {
      type: 'obj',
      help: '',
      inner: [
        { type: 'str', key: 'flag_name', help: 'Name of the flag' },
        { type: 'bool', key: 'flag_state', help: 'What it is now' },
        { type: 'str', key: 'warnings', optional: true, help: 'Things to know' },
      ],
    },
  ],
  examples: [{ cli: 'avoid_reuse', rpc: '"avoid_reuse"' }],
};
