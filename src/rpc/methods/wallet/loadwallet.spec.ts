// Declares loadwallet.
import { WARNINGS } from '../../declare/members.js';
import type { MethodSpec } from '../../declare/types.js';

export const loadwallet: MethodSpec = {
  name: 'loadwallet',
  category: 'wallet',
  runs: 'wallet',
  description: 'Loads a wallet that is on disk.',
  args: [
    { name: 'filename', type: 'str', help: 'Its name or path' },
    {
      name: 'load_on_startup',
      type: 'bool',
      optional: true,
      help: 'Whether the wallet is loaded at every start from now on: true adds it to the list, false takes it out, null leaves the list as it is',
    },
  ],
  results: [
    {
      type: 'obj',
      help: '',
      inner: [{ type: 'str', key: 'name', help: 'Name of the wallet' }, ...WARNINGS],
    },
  ],
  examples: [{ cli: '"test"', rpc: '"test"' }],
  waits: true,
};
