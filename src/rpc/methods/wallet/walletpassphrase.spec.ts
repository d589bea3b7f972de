import { declare } from '../../declare/parameters.js';
import { none, num, str } from '../../declare/parts.js';

export const walletpassphrase = declare({
  name: 'walletpassphrase',
  category: 'wallet',
  runs: 'wallet',
  holds: 'keys',
  description: 'Unlocks the wallet for some time.',
  args: [
    str('passphrase', 'The passphrase', { holds: 'passphrase' }),
    num('timeout', 'Seconds until the wallet locks itself, at most 100000000'),
  ],
  results: [none()],
  examples: [{ cli: '"my pass phrase" 60', rpc: '"my pass phrase", 60' }],
});
