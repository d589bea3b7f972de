import { declare } from '../../declare/parameters.js';
import { passphrase, str } from '../../declare/parts.js';

export const encryptwallet = declare({
  name: 'encryptwallet',
  category: 'wallet',
  runs: 'wallet',
  holds: 'parts',
  description: 'Encrypts the wallet with a passphrase. The wallet is then locked until walletpassphrase.',
  args: [passphrase('passphrase', 'The passphrase. It must not be empty, and should be long')],
  results: [str('A message about the result and the next step')],
  examples: [{ cli: '"my pass phrase"', rpc: '"my pass phrase"' }],
  waits: true,
});
