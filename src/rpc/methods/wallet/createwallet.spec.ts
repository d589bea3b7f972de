import { WARNINGS } from '../../declare/members.js';
import { bool, obj, str } from '../../declare/parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const createwallet: MethodSpec = {
  name: 'createwallet',
  category: 'wallet',
  runs: 'wallet',
  description: 'Makes a new wallet and loads it.',
  args: [
    str('wallet_name', 'Its name; a path makes it there'),
    bool('disable_private_keys', 'It only watches', { default: 'false' }),
    bool('blank', 'It begins without keys and without a seed', { default: 'false' }),
    str('passphrase?', 'Encrypts it with this', { holds: 'passphrase' }),
    bool('avoid_reuse', 'It keeps coins of addresses that were spent from apart', { default: 'false' }),
    bool('descriptors', 'It is made of descriptors', { default: 'false' }),
    bool(
      'load_on_startup?',
      'Whether the wallet is loaded at every start from now on: true adds it to the list, false takes it out, null leaves the list as it is',
    ),
    bool('external_signer', 'Its keys are on a device that the command of -signer speaks to; wants disable_private_keys and descriptors', {
      since: 22,
      default: 'false',
    }),
  ],
  results: [obj([str('name', 'Name of the wallet'), ...WARNINGS])],
  examples: [{ cli: '"testwallet"', rpc: '"testwallet"' }],
  waits: true,
};
