// Declares createwallet.
import { WARNINGS } from '../../declare/members.js';
import type { MethodSpec } from '../../declare/types.js';

export const createwallet: MethodSpec = {
  name: 'createwallet',
  category: 'wallet',
  runs: 'wallet',
  description: 'Makes a new wallet and loads it.',
  args: [
    { name: 'wallet_name', type: 'str', help: 'Its name; a path makes it there' },
    { name: 'disable_private_keys', type: 'bool', default: 'false', help: 'It only watches' },
    { name: 'blank', type: 'bool', default: 'false', help: 'It begins without keys and without a seed' },
    { name: 'passphrase', type: 'str', holds: 'passphrase', optional: true, help: 'Encrypts it with this' },
    { name: 'avoid_reuse', type: 'bool', default: 'false', help: 'It keeps coins of addresses that were spent from apart' },
    { name: 'descriptors', type: 'bool', default: 'false', help: 'It is made of descriptors' },
    {
      name: 'load_on_startup',
      type: 'bool',
      optional: true,
      help: 'Whether the wallet is loaded at every start from now on: true adds it to the list, false takes it out, null leaves the list as it is',
    },
    {
      name: 'external_signer',
      type: 'bool',
      since: 22,
      default: 'false',
      help: 'Its keys are on a device that the command of -signer speaks to; wants disable_private_keys and descriptors',
    },
  ],
  results: [
    {
      type: 'obj',
      help: '',
      inner: [{ type: 'str', key: 'name', help: 'Name of the wallet' }, ...WARNINGS],
    },
  ],
  examples: [{ cli: '"testwallet"', rpc: '"testwallet"' }],
  waits: true,
};
