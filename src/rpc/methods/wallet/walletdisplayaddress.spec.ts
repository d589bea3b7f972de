// Declares walletdisplayaddress.
import type { MethodSpec } from '../../declare/types.js';

export const walletdisplayaddress: MethodSpec = {
  name: 'walletdisplayaddress',
  category: 'wallet',
  runs: 'wallet',
  holds: 'wallet',
  since: 22,
  description: 'Shows an address on the device of a wallet with an external signer, to be compared.',
  args: [{ name: 'address', type: 'str', help: 'An address of the wallet' }],
  results: [{ type: 'obj', help: '', inner: [{ type: 'str', key: 'address', help: 'The address, as the device confirmed it' }] }],
  examples: [{ cli: '"bcrt1q..."', rpc: '"bcrt1q..."' }],
  waits: true,
};
