import { declare } from '../../declare/parameters.js';
import { obj, str } from '../../declare/parts.js';

export const walletdisplayaddress = declare({
  name: 'walletdisplayaddress',
  category: 'wallet',
  runs: 'wallet',
  holds: 'parts',
  since: 22,
  description: 'Shows an address on the device of a wallet with an external signer, so that you can compare it.',
  args: [str('address', 'An address of the wallet')],
  results: [obj([str('address', 'The address, as the device confirmed it')])],
  examples: [{ cli: '"bcrt1q..."', rpc: '"bcrt1q..."' }],
  waits: true,
});
