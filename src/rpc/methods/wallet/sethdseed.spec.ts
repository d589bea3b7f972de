import { bool, none, str } from '../../declare/parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const sethdseed: MethodSpec = {
  name: 'sethdseed',
  category: 'wallet',
  until: 30,
  runs: 'wallet',
  holds: 'keys',
  description: 'Makes a new or a given key the seed of a legacy wallet.',
  args: [
    bool('newkeypool', 'Throw away the keys in waiting, so that the next address is of the new seed', { default: 'true' }),
    str('seed', 'A private key in WIF', { holds: 'key', default: 'a random one' }),
  ],
  results: [none()],
  examples: [
    { cli: '', rpc: '' },
    { cli: 'false', rpc: 'false' },
    { cli: 'true "wifkey"', rpc: 'true, "wifkey"' },
  ],
};
