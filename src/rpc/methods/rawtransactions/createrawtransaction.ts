// Core 0.21: rpc/rawtransaction_util.cpp, with the same order of checks.

import { declare } from '../../declare/parameters.js';
import { amount, arr, bool, hex, num, obj, str } from '../../declare/parts.js';
import { TX_VERSION_ARG } from '../../declare/psbt-parts.js';
import type { FrontRun } from '../../front/context.js';
import { asReplaceable, constructTransaction } from '../../front/createrawtransaction.js';
import { bytesHex } from '../../render/hex.js';

export const spec = declare({
  name: 'createrawtransaction',
  category: 'rawtransactions',
  runs: 'front',
  checks: 'types or null',
  description: 'Creates an unsigned transaction from inputs and outputs. The call does not store or send it.',
  args: [
    arr('inputs', 'The inputs', { as: 'json' }, [
      obj({ optional: true }, [
        hex('txid', 'The transaction id'),
        num('vout', 'The output number'),
        num('sequence', 'The sequence number', { default: `depends on the value of the 'replaceable' and 'locktime' arguments` }),
      ]),
    ]),
    arr(
      'outputs',
      'The outputs. Each address may occur once, and "data" once.\nOne object with all outputs is accepted too',
      { anyType: true },
      [
        obj({ optional: true }, [amount('address', 'An address and the amount in BTC')]),
        obj({ optional: true }, [hex('data', 'The key is "data", the value hex')]),
      ],
    ),
    num('locktime', 'The lock time. If it is not 0, inputs get a sequence number that activates it', { as: 'json', default: '0' }),
    bool('replaceable', 'Marks the transaction as replaceable (BIP125).', { as: 'json', default: 'false; true in releases since 24' }),
    TX_VERSION_ARG,
  ],
  results: [str('The transaction as hex')],
  examples: [
    {
      cli: `"[{\\"txid\\":\\"myid\\",\\"vout\\":0}]" "[{\\"address\\":0.01}]"`,
      rpc: '"[{\\"txid\\":\\"myid\\",\\"vout\\":0}]", "[{\\"address\\":0.01}]"',
    },
  ],
});

export const createrawtransaction: FrontRun<typeof spec> = (params, ctx) =>
  bytesHex(constructTransaction(ctx, params, asReplaceable(params.replaceable, ctx.compat), params.version));
