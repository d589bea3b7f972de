// Declares encryptwallet.
import type { MethodSpec } from '../../declare/types.js';

export const encryptwallet: MethodSpec = {
  name: 'encryptwallet',
  category: 'wallet',
  runs: 'wallet',
  holds: 'wallet',
  description: 'Encrypts the wallet with a passphrase; from then on it is locked until walletpassphrase.',
  args: [{ name: 'passphrase', type: 'str', holds: 'passphrase', help: 'At least one character; it should be long' }],
  results: [{ type: 'str', help: 'What happened and what to do now' }],
  examples: [{ cli: '"my pass phrase"', rpc: '"my pass phrase"' }],
  waits: true,
};
