// Declares getmempoolfeeratediagram.
import type { MethodSpec } from '../../declare/types.js';

export const getmempoolfeeratediagram: MethodSpec = {
  name: 'getmempoolfeeratediagram',
  since: 31,
  category: 'hidden',
  runs: 'node',
  repeatable: true,
  description: 'Fees of the pool against its weight, chunk after chunk, best first.',
  args: [],
  results: [
    {
      type: 'arr',
      help: '',
      inner: [
        {
          type: 'obj',
          help: '',
          inner: [
            { type: 'num', key: 'weight', help: 'Sigop-adjusted weight up to here' },
            { type: 'amount', key: 'fee', help: 'Fees with deltas up to here, in BTC' },
          ],
        },
      ],
    },
  ],
  examples: [{ cli: '', rpc: '' }],
};
