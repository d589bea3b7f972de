import { obj, str } from '../../declare/parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const addhdkey: MethodSpec = {
  name: 'addhdkey',
  since: 32,
  category: 'wallet',
  runs: 'wallet',
  holds: 'keys',
  description: 'Adds an extended key to a wallet, for createwalletdescriptor and derivehdkey. The call creates no address.',
  args: [str('hdkey', 'The extended private key', { holds: 'descriptor', default: 'a random key' })],
  results: [obj([str('xpub', 'The extended public key')])],
  examples: [{ cli: 'xprv', rpc: '"xprv"' }],
};
