import { declare } from '../../declare/parameters.js';
import { str } from '../../declare/parts.js';

export const encryptwallet = declare({
  name: 'encryptwallet',
  category: 'wallet',
  runs: 'wallet',
  holds: 'parts',
  description: 'Encrypts the wallet with a passphrase. The wallet is then locked until walletpassphrase.',
  args: [str('passphrase', 'The passphrase. It must not be empty, and should be long', { holds: 'passphrase' })],
  results: [str('A message about the result and the next step')],
  examples: [{ cli: '"my pass phrase"', rpc: '"my pass phrase"' }],
  waits: true,
});
