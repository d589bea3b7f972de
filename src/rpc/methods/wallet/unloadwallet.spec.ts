import { WARNINGS } from '../../declare/members.js';
import { declare } from '../../declare/parameters.js';
import { bool, obj, str } from '../../declare/parts.js';

export const unloadwallet = declare({
  name: 'unloadwallet',
  category: 'wallet',
  runs: 'wallet',
  description: 'Unloads the wallet that the path or the argument names.',
  args: [
    str('wallet_name', 'Its name', { as: 'json', default: 'the wallet of the path' }),
    bool(
      'load_on_startup?',
      'Whether to load the wallet at every start: true adds it to the list in settings.json, false removes it, null changes nothing',
    ),
  ],
  results: [obj(WARNINGS)],
  examples: [{ cli: 'wallet_name', rpc: 'wallet_name' }],
  waits: true,
});
