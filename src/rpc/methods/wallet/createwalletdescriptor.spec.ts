// Declares createwalletdescriptor.
import type { MethodSpec } from '../../declare/types.js';

export const createwalletdescriptor: MethodSpec = {
  name: 'createwalletdescriptor',
  since: 28,
  category: 'wallet',
  runs: 'wallet',
  holds: 'keys',
  description: 'Makes the descriptors of a kind of address that the wallet gives out none of yet. It must be unlocked.',
  args: [
    { name: 'type', type: 'str', help: 'The kind of address: "legacy", "p2sh-segwit", "bech32" or "bech32m"' },
    {
      name: 'options',
      type: 'obj',
      namedMembers: true,
      optional: true,
      help: '',
      inner: [
        { name: 'internal', type: 'bool', default: 'both', help: 'Only the descriptor of change (true) or of payments (false)' },
        {
          name: 'hdkey',
          type: 'str',
          default: 'the one of all active descriptors',
          help: 'The extended public key (gethdkeys) it grows from',
        },
      ],
    },
  ],
  results: [
    {
      type: 'obj',
      help: '',
      inner: [{ type: 'arr', key: 'descs', help: 'The descriptors that were added', inner: [{ type: 'str', help: 'A descriptor' }] }],
    },
  ],
  examples: [{ cli: 'bech32m', rpc: '"bech32m"' }],
  waits: true,
};
