import { declare } from '../../declare/parameters.js';
import { num, obj, str } from '../../declare/parts.js';

export const upgradewallet = declare({
  name: 'upgradewallet',
  category: 'wallet',
  runs: 'wallet',
  holds: 'wallet',
  until: 30,
  description: 'Upgrades a wallet to a newer version.',
  args: [num('version', 'The version', { seesAbsence: true, default: '169900' })],
  results: [
    obj([
      str('wallet_name', 'Name of the wallet'),
      num('previous_version', 'Previous version'),
      num('current_version', 'New version'),
      str('result?', 'Result'),
      str('error?', 'Error'),
    ]),
  ],
  examples: [{ cli: '169900', rpc: '169900' }],
});
