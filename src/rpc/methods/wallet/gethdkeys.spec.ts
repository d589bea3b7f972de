import { arr, bool, obj, str } from '../../declare/parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const gethdkeys: MethodSpec = {
  name: 'gethdkeys',
  since: 28,
  category: 'wallet',
  runs: 'wallet',
  holds: 'keys',
  description: 'Lists the extended keys of a wallet, and the descriptors that are derived from each.',
  args: [
    obj('options?', '', { namedMembers: true }, [
      bool('active_only', 'Only keys of descriptors that give out addresses', { default: 'false' }),
      bool('private', 'With private keys; needs an unlocked wallet', { default: 'false' }),
    ]),
  ],
  results: [
    arr([
      obj([
        str('xpub', 'The extended public key'),
        bool('has_private', 'Whether the wallet has its private half'),
        str('xprv?', 'That half, when it was asked for'),
        arr('descriptors', 'Descriptors with this key', [
          obj([str('desc', 'The descriptor'), bool('active', 'Whether it gives out addresses')]),
        ]),
      ]),
    ]),
  ],
  examples: [{ cli: '', rpc: '' }],
};
