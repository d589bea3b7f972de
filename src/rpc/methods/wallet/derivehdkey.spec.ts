import { declare } from '../../declare/parameters.js';
import { bool, obj, str } from '../../declare/parts.js';

export const derivehdkey = declare({
  name: 'derivehdkey',
  since: 32,
  category: 'wallet',
  runs: 'wallet',
  holds: 'keys',
  description: 'Derives an extended key from a key of the wallet. The wallet must be unlocked.',
  args: [
    str('path', 'The path (BIP-0032), with at least one hardened step'),
    obj('options?', '', { as: 'json', namedMembers: true }, [
      bool('private', 'Return the private key too', { default: 'false' }),
      str('hdkey', 'The extended public key (gethdkeys) to begin with', {
        default: 'the one added by addhdkey, else the one of all active descriptors',
      }),
    ]),
  ],
  results: [
    obj([
      str('origin', 'Fingerprint and path, as descriptors have them before a key'),
      str('xpub', 'The extended public key'),
      str('xprv?', 'The extended private key, if requested'),
    ]),
  ],
  examples: [{ cli: 'm/87h/0h/0h', rpc: '"m/87h/0h/0h"' }],
});
