import { WARNINGS } from '../../declare/members.js';
import { declare } from '../../declare/parameters.js';
import { bool, obj, str } from '../../declare/parts.js';

export const loadwallet = declare({
  name: 'loadwallet',
  category: 'wallet',
  runs: 'wallet',
  description: 'Loads a wallet from disk.',
  args: [
    str('filename', 'Name or path of the wallet'),
    bool(
      'load_on_startup?',
      'Whether to load the wallet at every start: true adds it to the list in settings.json, false removes it, null changes nothing',
    ),
  ],
  results: [obj([str('name', 'Name of the wallet'), ...WARNINGS])],
  examples: [{ cli: '"test"', rpc: '"test"' }],
  waits: true,
});
