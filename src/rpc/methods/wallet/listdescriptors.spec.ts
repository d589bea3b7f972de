import { declare } from '../../declare/parameters.js';
import { arr, bool, fixed, num, obj, str, time } from '../../declare/parts.js';

export const listdescriptors = declare({
  name: 'listdescriptors',
  category: 'wallet',
  runs: 'wallet',
  holds: 'keys',
  repeatable: true,
  description: 'Returns the descriptors of a wallet.',
  args: [bool('private', 'Return private keys', { default: 'false' })],
  results: [
    obj([
      str('wallet_name', 'Name of the wallet'),
      arr('descriptors', 'Descriptors, sorted as text', [
        obj([
          str('desc', 'The descriptor'),
          time('timestamp', 'Time of the first possible payment'),
          bool('active', 'Whether the descriptor is active: new addresses come from it'),
          bool('internal?', 'Whether the addresses are for change'),
          fixed('range?', 'First and last index', [num('First'), num('Last')]),
          num('next?', 'The same as next_index'),
          num('next_index?', 'The next index for a new address'),
        ]),
      ]),
    ]),
  ],
  examples: [
    { cli: '', rpc: '' },
    { cli: 'true', rpc: 'true' },
  ],
});
