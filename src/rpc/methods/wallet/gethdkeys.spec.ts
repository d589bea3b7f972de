// Declares gethdkeys.
import type { MethodSpec } from '../../declare/types.js';

export const gethdkeys: MethodSpec = {
  name: 'gethdkeys',
  since: 28,
  category: 'wallet',
  runs: 'wallet',
  holds: 'keys',
  description: 'Lists the extended keys of a wallet, and the descriptors that are derived from each.',
  args: [
    {
      name: 'options',
      type: 'obj',
      namedMembers: true,
      optional: true,
      help: '',
      inner: [
        { name: 'active_only', type: 'bool', default: 'false', help: 'Only keys of descriptors that give out addresses' },
        { name: 'private', type: 'bool', default: 'false', help: 'With private keys; needs an unlocked wallet' },
      ],
    },
  ],
  results: [
    {
      type: 'arr',
      help: '',
      inner: [
        {
          type: 'obj',
          help: '',
          inner: [
            { type: 'str', key: 'xpub', help: 'The extended public key' },
            { type: 'bool', key: 'has_private', help: 'Whether the wallet has its private half' },
            { type: 'str', key: 'xprv', optional: true, help: 'That half, when it was asked for' },
            {
              type: 'arr',
              key: 'descriptors',
              help: 'Descriptors with this key',
              inner: [
                {
                  type: 'obj',
                  help: '',
                  inner: [
                    { type: 'str', key: 'desc', help: 'The descriptor' },
                    { type: 'bool', key: 'active', help: 'Whether it gives out addresses' },
                  ],
                },
              ],
            },
          ],
        },
      ],
    },
  ],
  examples: [{ cli: '', rpc: '' }],
};
