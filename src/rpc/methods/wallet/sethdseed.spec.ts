import { declare } from '../../declare/parameters.js';
import { bool, none, str } from '../../declare/parts.js';

export const sethdseed = declare({
  name: 'sethdseed',
  category: 'wallet',
  until: 30,
  runs: 'wallet',
  holds: 'keys',
  description: 'Sets a new or a given key as the seed of a legacy wallet.',
  args: [
    bool('newkeypool', 'Whether to empty the key pool, so that the next address comes from the new seed', { default: 'true' }),
    str('seed', 'A private key in WIF', { as: 'json', holds: 'key', default: 'a random one' }),
  ],
  results: [none()],
  examples: [
    { cli: '', rpc: '' },
    { cli: 'false', rpc: 'false' },
    { cli: 'true "wifkey"', rpc: 'true, "wifkey"' },
  ],
});
