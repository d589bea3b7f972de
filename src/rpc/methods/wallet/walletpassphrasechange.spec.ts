import { declare } from '../../declare/parameters.js';
import { none, passphrase } from '../../declare/parts.js';

export const walletpassphrasechange = declare({
  name: 'walletpassphrasechange',
  category: 'wallet',
  runs: 'wallet',
  holds: 'wallet',
  description: 'Changes the passphrase of the wallet.',
  args: [passphrase('oldpassphrase', 'The current passphrase'), passphrase('newpassphrase', 'The new passphrase')],
  results: [none()],
  examples: [{ cli: '"old one" "new one"', rpc: '"old one", "new one"' }],
});
