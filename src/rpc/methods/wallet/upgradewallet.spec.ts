// Declares upgradewallet.
import type { MethodSpec } from '../../declare/types.js';

export const upgradewallet: MethodSpec = {
  name: 'upgradewallet',
  category: 'wallet',
  runs: 'wallet',
  holds: 'wallet',
  until: 30,
  description: 'Brings a wallet to a newer version.',
  args: [{ name: 'version', type: 'num', default: '169900', help: 'The version' }],
  results: [
    {
      type: 'obj',
      help: '',
      inner: [
        { type: 'str', key: 'wallet_name', help: 'Name of the wallet' },
        { type: 'num', key: 'previous_version', help: 'Version before' },
        { type: 'num', key: 'current_version', help: 'Version now' },
        { type: 'str', key: 'result', optional: true, help: 'What was done' },
        { type: 'str', key: 'error', optional: true, help: 'Why nothing could be done' },
      ],
    },
  ],
  examples: [{ cli: '169900', rpc: '169900' }],
};
