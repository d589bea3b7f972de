import { none, str } from '../../declare/parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const walletpassphrasechange: MethodSpec = {
  name: 'walletpassphrasechange',
  category: 'wallet',
  runs: 'wallet',
  holds: 'wallet',
  description: 'Changes the passphrase.',
  args: [str('oldpassphrase', 'The present one', { holds: 'passphrase' }), str('newpassphrase', 'The new one', { holds: 'passphrase' })],
  results: [none()],
  examples: [{ cli: '"old one" "new one"', rpc: '"old one", "new one"' }],
};
