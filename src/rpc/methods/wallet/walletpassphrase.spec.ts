// Declares walletpassphrase.
import type { MethodSpec } from '../../declare/types.js';

export const walletpassphrase: MethodSpec = {
  name: 'walletpassphrase',
  category: 'wallet',
  runs: 'wallet',
  holds: 'keys',
  description: 'Unlocks the wallet for some time.',
  args: [
    { name: 'passphrase', type: 'str', holds: 'passphrase', help: 'The passphrase' },
    { name: 'timeout', type: 'num', help: 'Seconds, 100000000 at most' },
  ],
  results: [{ type: 'none', help: '' }],
  examples: [{ cli: '"my pass phrase" 60', rpc: '"my pass phrase", 60' }],
};
