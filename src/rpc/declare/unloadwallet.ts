// Declares unloadwallet; types.ts says what a declaration is for.
import { WARNINGS } from './members.js';
import type { MethodSpec } from './types.js';

export const unloadwallet: MethodSpec = {
  name: 'unloadwallet',
  category: 'wallet',
  runs: 'node',
  description: 'Unloads the wallet that the path or the argument names.',
  args: [
    { name: 'wallet_name', type: 'str', default: 'the wallet of the path', help: 'Its name' },
    {
      name: 'load_on_startup',
      type: 'bool',
      optional: true,
      help: 'Whether the wallet is loaded at every start from now on: true adds it to the list, false takes it out, null leaves the list as it is',
    },
  ],
  results: [{ type: 'obj', help: '', inner: WARNINGS }],
  examples: [{ cli: 'wallet_name', rpc: 'wallet_name' }],
  waits: true,
};
