import { WARNINGS } from '../../declare/members.js';
import { bool, obj, str } from '../../declare/parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const loadwallet: MethodSpec = {
  name: 'loadwallet',
  category: 'wallet',
  runs: 'wallet',
  description: 'Loads a wallet that is on disk.',
  args: [
    str('filename', 'Its name or path'),
    bool(
      'load_on_startup?',
      'Whether the wallet is loaded at every start from now on: true adds it to the list, false takes it out, null leaves the list as it is',
    ),
  ],
  results: [obj([str('name', 'Name of the wallet'), ...WARNINGS])],
  examples: [{ cli: '"test"', rpc: '"test"' }],
  waits: true,
};
