// Declares sethdseed.
import type { MethodSpec } from '../../declare/types.js';

export const sethdseed: MethodSpec = {
  name: 'sethdseed',
  category: 'wallet',
  runs: 'wallet',
  holds: 'keys',
  description: 'Makes a new or a given key the seed of a legacy wallet.',
  args: [
    {
      name: 'newkeypool',
      type: 'bool',
      default: 'true',
      help: 'Throw away the keys in waiting, so that the next address is of the new seed',
    },
    { name: 'seed', type: 'str', holds: 'key', default: 'a random one', help: 'A private key in WIF' },
  ],
  results: [{ type: 'none', help: '' }],
  examples: [
    { cli: '', rpc: '' },
    { cli: 'false', rpc: 'false' },
    { cli: 'true "wifkey"', rpc: 'true, "wifkey"' },
  ],
};
