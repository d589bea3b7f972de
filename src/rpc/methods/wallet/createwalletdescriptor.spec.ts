import { declare } from '../../declare/parameters.js';
import { arr, bool, obj, str } from '../../declare/parts.js';
import { RPC_CODE } from '../../errors.js';

export const createwalletdescriptor = declare({
  name: 'createwalletdescriptor',
  since: 28,
  category: 'wallet',
  runs: 'wallet',
  holds: 'keys',
  description: 'Creates the descriptors for an address type that the wallet does not have yet. The wallet must be unlocked.',
  args: [
    str('type', 'The address type: "legacy", "p2sh-segwit", "bech32" or "bech32m"', {
      oneOf: ['legacy', 'p2sh-segwit', 'bech32', 'bech32m'],
      refusal: { code: RPC_CODE.INVALID_ADDRESS_OR_KEY, text: "Unknown address type '%s'" },
    }),
    obj('options?', '', { as: 'json', namedMembers: true }, [
      bool('internal', 'true: only the descriptor for change. false: only the one for receiving', { default: 'both' }),
      str('hdkey', 'The extended public key (gethdkeys) to derive from', { default: 'the one of all active descriptors' }),
    ]),
  ],
  results: [obj([arr('descs', 'The descriptors that were added', [str('A descriptor')])])],
  examples: [{ cli: 'bech32m', rpc: '"bech32m"' }],
  waits: true,
});
