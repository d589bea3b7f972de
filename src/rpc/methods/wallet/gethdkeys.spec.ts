import { declare } from '../../declare/parameters.js';
import { arr, bool, obj, str } from '../../declare/parts.js';

export const gethdkeys = declare({
  name: 'gethdkeys',
  since: 28,
  category: 'wallet',
  runs: 'wallet',
  holds: 'keys',
  description: 'Returns the extended keys of a wallet, and the descriptors that are derived from each.',
  args: [
    obj('options?', '', { as: 'json', namedMembers: true }, [
      bool('active_only', 'Return only keys of active descriptors', { default: 'false' }),
      bool('private', 'Return private keys too. Requires an unlocked wallet', { default: 'false' }),
    ]),
  ],
  results: [
    arr([
      obj([
        str('xpub', 'The extended public key'),
        bool('has_private', 'Whether the wallet has the private key'),
        str('xprv?', 'The extended private key, if requested'),
        arr('descriptors', 'Descriptors with this key', [
          obj([str('desc', 'The descriptor'), bool('active', 'Whether the descriptor is active: new addresses come from it')]),
        ]),
      ]),
    ]),
  ],
  examples: [{ cli: '', rpc: '' }],
});
