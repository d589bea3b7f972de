// Declares derivehdkey.
import type { MethodSpec } from '../../declare/types.js';

export const derivehdkey: MethodSpec = {
  name: 'derivehdkey',
  since: 32,
  category: 'wallet',
  runs: 'wallet',
  holds: 'keys',
  description: 'Derives an extended key from one of the wallet. It must be unlocked.',
  args: [
    { name: 'path', type: 'str', help: 'The path (BIP-0032), with one hardened step at least' },
    {
      name: 'options',
      type: 'obj',
      namedMembers: true,
      optional: true,
      help: '',
      inner: [
        { name: 'private', type: 'bool', default: 'false', help: 'With the private key' },
        {
          name: 'hdkey',
          type: 'str',
          default: 'the one added by addhdkey, else the one of all active descriptors',
          help: 'The extended public key (gethdkeys) to begin with',
        },
      ],
    },
  ],
  results: [
    {
      type: 'obj',
      help: '',
      inner: [
        { type: 'str', key: 'origin', help: 'Fingerprint and path, as descriptors have them before a key' },
        { type: 'str', key: 'xpub', help: 'The extended public key' },
        { type: 'str', key: 'xprv', optional: true, help: 'The private one, when it was asked for' },
      ],
    },
  ],
  examples: [{ cli: 'm/87h/0h/0h', rpc: '"m/87h/0h/0h"' }],
};
