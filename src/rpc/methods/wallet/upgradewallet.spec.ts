import { num, obj, str } from '../../declare/parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const upgradewallet: MethodSpec = {
  name: 'upgradewallet',
  category: 'wallet',
  runs: 'wallet',
  holds: 'wallet',
  until: 30,
  description: 'Brings a wallet to a newer version.',
  args: [num('version', 'The version', { default: '169900' })],
  results: [
    obj([
      str('wallet_name', 'Name of the wallet'),
      num('previous_version', 'Version before'),
      num('current_version', 'Version now'),
      str('result?', 'What was done'),
      str('error?', 'Why nothing could be done'),
    ]),
  ],
  examples: [{ cli: '169900', rpc: '169900' }],
};
