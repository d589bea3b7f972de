// Declares createrawtransaction.
import { TX_VERSION_ARG } from '../../declare/psbt-parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const createrawtransaction: MethodSpec = {
  name: 'createrawtransaction',
  category: 'rawtransactions',
  runs: 'front',
  description: 'Builds a transaction from inputs and outputs, unsigned. Nothing is stored or sent.',
  args: [
    {
      name: 'inputs',
      type: 'arr',
      help: 'The inputs',
      inner: [
        {
          name: '',
          type: 'obj',
          optional: true,
          help: '',
          inner: [
            { name: 'txid', type: 'hex', help: 'The transaction id' },
            { name: 'vout', type: 'num', help: 'The output number' },
            {
              name: 'sequence',
              type: 'num',
              default: `depends on the value of the 'replaceable' and 'locktime' arguments`,
              help: 'The sequence number',
            },
          ],
        },
      ],
    },
    {
      name: 'outputs',
      type: 'arr',
      anyType: true,
      help: 'The outputs, each key once; "data" at most once.\nAn object of all of them is taken too.',
      inner: [
        {
          name: '',
          type: 'obj',
          optional: true,
          help: '',
          inner: [{ name: 'address', type: 'amount', help: 'An address and the amount in BTC' }],
        },
        {
          name: '',
          type: 'obj',
          optional: true,
          help: '',
          inner: [{ name: 'data', type: 'hex', help: 'The key is "data", the value hex' }],
        },
      ],
    },
    { name: 'locktime', type: 'num', default: '0', help: 'The lock time; when not 0, inputs get a sequence that lets it count' },
    {
      name: 'replaceable',
      type: 'bool',
      default: 'false; true in releases since 24',
      help: 'Marks the transaction as replaceable (BIP125).',
    },
    TX_VERSION_ARG,
  ],
  results: [{ type: 'str', help: 'The transaction as hex' }],
  examples: [
    {
      cli: `"[{\\"txid\\":\\"myid\\",\\"vout\\":0}]" "[{\\"address\\":0.01}]"`,
      rpc: '"[{\\"txid\\":\\"myid\\",\\"vout\\":0}]", "[{\\"address\\":0.01}]"',
    },
  ],
};
