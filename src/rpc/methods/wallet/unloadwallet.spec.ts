// Declares unloadwallet.
import { WARNINGS } from '../../declare/members.js';
import type { MethodSpec } from '../../declare/types.js';

export const unloadwallet: MethodSpec = {
  name: 'unloadwallet',
  category: 'wallet',
  runs: 'wallet',
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
