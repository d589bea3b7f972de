import { str } from '../../declare/parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const encryptwallet: MethodSpec = {
  name: 'encryptwallet',
  category: 'wallet',
  runs: 'wallet',
  holds: 'parts',
  description: 'Encrypts the wallet with a passphrase; from then on it is locked until walletpassphrase.',
  args: [str('passphrase', 'At least one character; it should be long', { holds: 'passphrase' })],
  results: [str('What happened and what to do now')],
  examples: [{ cli: '"my pass phrase"', rpc: '"my pass phrase"' }],
  waits: true,
};
