import { arr, bool, fixed, num, obj, str, time } from '../../declare/parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const listdescriptors: MethodSpec = {
  name: 'listdescriptors',
  category: 'wallet',
  runs: 'wallet',
  holds: 'keys',
  repeatable: true,
  description: 'Lists the descriptors of a wallet.',
  args: [bool('private', 'With private keys', { default: 'false' })],
  results: [
    obj([
      str('wallet_name', 'Name of the wallet'),
      arr('descriptors', 'By text', [
        obj([
          str('desc', 'The descriptor'),
          time('timestamp', 'From when it matters'),
          bool('active', 'Whether it gives out addresses'),
          bool('internal?', 'Whether those are for change'),
          fixed('range?', 'First and last index', [num('First'), num('Last')]),
          num('next?', 'Next index; same as next_index'),
          num('next_index?', 'The next index given out'),
        ]),
      ]),
    ]),
  ],
  examples: [
    { cli: '', rpc: '' },
    { cli: 'true', rpc: 'true' },
  ],
};
