import { declare } from '../../declare/parameters.js';
import { none, num, passphrase } from '../../declare/parts.js';

export const walletpassphrase = declare({
  name: 'walletpassphrase',
  category: 'wallet',
  runs: 'wallet',
  holds: 'keys',
  description: 'Unlocks the wallet for some time.',
  args: [
    passphrase('passphrase', 'The passphrase'),
    num('timeout', 'Seconds until the wallet locks itself, at most 100000000', { as: 'int64' }),
  ],
  results: [none()],
  examples: [{ cli: '"my pass phrase" 60', rpc: '"my pass phrase", 60' }],
});
