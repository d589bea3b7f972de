import { TX_MEMBERS } from '../../declare/members.js';
import { declare } from '../../declare/parameters.js';
import { bool, hex, obj } from '../../declare/parts.js';
import type { DecodeRun } from '../../front/context.js';
import { decodeTx } from '../../front/decode.js';
import { txWriterOf } from '../../render/tx-writer.js';
import { RawJson } from '../../wire/values.js';

export const spec = declare({
  name: 'decoderawtransaction',
  category: 'rawtransactions',
  runs: 'front',
  checks: 'types',
  description: 'Returns a serialized transaction as an object.',
  args: [
    hex('hexstring', 'The transaction'),
    bool('iswitness', 'Whether the transaction has witnesses. If omitted, both formats are tried and the plausible one is used', {
      default: 'depends on heuristic tests',
    }),
  ],
  results: [obj(TX_MEMBERS)],
  examples: [{ cli: '"hexstring"', rpc: '"hexstring"' }],
});

export const decoderawtransaction: DecodeRun<typeof spec> = ({ iswitness, hexstring }, ctx) =>
  new RawJson(txWriterOf(ctx).text(decodeTx(hexstring, iswitness, ctx)));
