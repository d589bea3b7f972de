// Declares walletpassphrasechange.
import type { MethodSpec } from '../../declare/types.js';

export const walletpassphrasechange: MethodSpec = {
  name: 'walletpassphrasechange',
  category: 'wallet',
  runs: 'wallet',
  holds: 'wallet',
  description: 'Changes the passphrase.',
  args: [
    { name: 'oldpassphrase', type: 'str', holds: 'passphrase', help: 'The present one' },
    { name: 'newpassphrase', type: 'str', holds: 'passphrase', help: 'The new one' },
  ],
  results: [{ type: 'none', help: '' }],
  examples: [{ cli: '"old one" "new one"', rpc: '"old one", "new one"' }],
};
