import { amount, arr, bool, hex, num, obj, str } from '../../declare/parts.js';
import { TX_VERSION_ARG } from '../../declare/psbt-parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const createrawtransaction: MethodSpec = {
  name: 'createrawtransaction',
  category: 'rawtransactions',
  runs: 'front',
  checks: 'types or null',
  description: 'Builds a transaction from inputs and outputs, unsigned. Nothing is stored or sent.',
  args: [
    arr('inputs', 'The inputs', [
      obj({ optional: true }, [
        hex('txid', 'The transaction id'),
        num('vout', 'The output number'),
        num('sequence', 'The sequence number', { default: `depends on the value of the 'replaceable' and 'locktime' arguments` }),
      ]),
    ]),
    arr('outputs', 'The outputs, each key once; "data" at most once.\nAn object of all of them is taken too.', { anyType: true }, [
      obj({ optional: true }, [amount('address', 'An address and the amount in BTC')]),
      obj({ optional: true }, [hex('data', 'The key is "data", the value hex')]),
    ]),
    num('locktime', 'The lock time; when not 0, inputs get a sequence that lets it count', { default: '0' }),
    bool('replaceable', 'Marks the transaction as replaceable (BIP125).', { default: 'false; true in releases since 24' }),
    TX_VERSION_ARG,
  ],
  results: [str('The transaction as hex')],
  examples: [
    {
      cli: `"[{\\"txid\\":\\"myid\\",\\"vout\\":0}]" "[{\\"address\\":0.01}]"`,
      rpc: '"[{\\"txid\\":\\"myid\\",\\"vout\\":0}]", "[{\\"address\\":0.01}]"',
    },
  ],
};
