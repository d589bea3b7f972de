import { declare } from '../../declare/parameters.js';
import { obj, str } from '../../declare/parts.js';

export const addhdkey = declare({
  name: 'addhdkey',
  since: 32,
  category: 'wallet',
  runs: 'wallet',
  holds: 'keys',
  description: 'Adds an extended key to a wallet, for createwalletdescriptor and derivehdkey. The call creates no address.',
  args: [str('hdkey', 'The extended private key', { holds: 'descriptor', default: 'a random key' })],
  results: [obj([str('xpub', 'The extended public key')])],
  examples: [{ cli: 'xprv', rpc: '"xprv"' }],
});
