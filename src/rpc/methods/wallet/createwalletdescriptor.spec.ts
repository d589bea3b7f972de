import { arr, bool, obj, str } from '../../declare/parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const createwalletdescriptor: MethodSpec = {
  name: 'createwalletdescriptor',
  since: 28,
  category: 'wallet',
  runs: 'wallet',
  holds: 'keys',
  description: 'Makes the descriptors of a kind of address that the wallet gives out none of yet. It must be unlocked.',
  args: [
    str('type', 'The kind of address: "legacy", "p2sh-segwit", "bech32" or "bech32m"'),
    obj('options?', '', { namedMembers: true }, [
      bool('internal', 'Only the descriptor of change (true) or of payments (false)', { default: 'both' }),
      str('hdkey', 'The extended public key (gethdkeys) it grows from', { default: 'the one of all active descriptors' }),
    ]),
  ],
  results: [obj([arr('descs', 'The descriptors that were added', [str('A descriptor')])])],
  examples: [{ cli: 'bech32m', rpc: '"bech32m"' }],
  waits: true,
};
