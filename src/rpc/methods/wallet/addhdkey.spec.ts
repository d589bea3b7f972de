// Declares addhdkey.
import type { MethodSpec } from '../../declare/types.js';

export const addhdkey: MethodSpec = {
  name: 'addhdkey',
  since: 32,
  category: 'wallet',
  runs: 'wallet',
  holds: 'keys',
  description: 'Adds an extended key to a wallet, for createwalletdescriptor and derivehdkey. It makes no address by itself.',
  args: [{ name: 'hdkey', type: 'str', holds: 'descriptor', default: 'a random key', help: 'The extended private key' }],
  results: [{ type: 'obj', help: '', inner: [{ type: 'str', key: 'xpub', help: 'Its public half' }] }],
  examples: [{ cli: 'xprv', rpc: '"xprv"' }],
};
