import { declare } from '../../declare/parameters.js';
import { none, str } from '../../declare/parts.js';

export const walletpassphrasechange = declare({
  name: 'walletpassphrasechange',
  category: 'wallet',
  runs: 'wallet',
  holds: 'wallet',
  description: 'Changes the passphrase of the wallet.',
  args: [
    str('oldpassphrase', 'The current passphrase', { holds: 'passphrase' }),
    str('newpassphrase', 'The new passphrase', { holds: 'passphrase' }),
  ],
  results: [none()],
  examples: [{ cli: '"old one" "new one"', rpc: '"old one", "new one"' }],
});
