import { bool, none, str } from '../../declare/parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const sethdseed: MethodSpec = {
  name: 'sethdseed',
  category: 'wallet',
  until: 30,
  runs: 'wallet',
  holds: 'keys',
  description: 'Sets a new or a given key as the seed of a legacy wallet.',
  args: [
    bool('newkeypool', 'Whether to empty the key pool, so that the next address comes from the new seed', { default: 'true' }),
    str('seed', 'A private key in WIF', { holds: 'key', default: 'a random one' }),
  ],
  results: [none()],
  examples: [
    { cli: '', rpc: '' },
    { cli: 'false', rpc: 'false' },
    { cli: 'true "wifkey"', rpc: 'true, "wifkey"' },
  ],
};
