import type { TxView } from '../../../consensus/tx/tx-view.js';
import { asBool, asHash, asInt, asObject, checkMembers } from '../../args.js';
import type { NodeRun } from '../../context/node.js';
import { declare } from '../../declare/parameters.js';
import { arr, bool, hex, num, obj } from '../../declare/parts.js';
import { fail, RPC_CODE } from '../../errors.js';
import { outpointOf } from '../../node/lookup.js';
import { hashHex } from '../../render/hex.js';
import { txHex } from '../../render/tx-writer.js';
import type { JsonResult } from '../../wire/values.js';

export const spec = declare({
  name: 'gettxspendingprevout',
  since: 24,
  category: 'blockchain',
  runs: 'node',
  repeatable: true,
  description:
    'Returns the transactions that spend the given outputs. The call searches the mempool, and with\n-txospenderindex also the blocks.',
  args: [
    arr('outputs', 'The outputs', [obj({ optional: true }, [hex('txid', 'The transaction id'), num('vout', 'The output number')])]),
    obj('options?', '', { since: 31, namedMembers: true }, [
      bool('mempool_only?', 'Search only the mempool (default: true without -txospenderindex, otherwise false)'),
      bool('return_spending_tx', 'Return the spending transaction too', { default: 'false' }),
    ]),
  ],
  results: [
    arr([
      obj([
        hex('txid', 'The transaction id'),
        num('vout', 'The output number'),
        hex('spendingtxid?', 'Id of the spending transaction. Absent if the output is not spent'),
        hex('spendingtx?', 'The spending transaction as hex, if requested', { since: 31 }),
        hex('blockhash?', 'Hash of the block of the transaction. Absent for a transaction in the mempool', { since: 31 }),
      ]),
    ]),
  ],
  examples: [
    {
      cli: `'[{"txid":"a08e6907dbbd3d809776dbfc5d82e371b764ed838b5655e72f463568df1aadf0","vout":3}]'`,
      rpc: '[{"txid":"a08e6907dbbd3d809776dbfc5d82e371b764ed838b5655e72f463568df1aadf0","vout":3}]',
    },
  ],
});

export const gettxspendingprevout: NodeRun<typeof spec> = async (params, ctx) => {
  const { outputs } = params;
  if (outputs.length === 0) fail(RPC_CODE.INVALID_PARAMETER, 'Invalid parameter, outputs are missing');
  const { options } = params;
  if (options) checkMembers(options, { mempool_only: 'bool', return_spending_tx: 'bool' }, { allowNull: true, strict: true });
  const index = ctx.spenderIndex;
  const poolOnly = options?.has('mempool_only') ? asBool(options.get('mempool_only')) : index === null;
  const whole = options?.has('return_spending_tx') === true && asBool(options.get('return_spending_tx'));
  const wanted = outputs.map((output) => {
    const object = asObject(output);
    checkMembers(object, { txid: 'string', vout: 'number' }, { strict: true });
    const txid = asHash(object.get('txid'), 'txid');
    const vout = asInt(object.get('vout'));
    if (vout < 0) fail(RPC_CODE.INVALID_PARAMETER, 'Invalid parameter, vout cannot be negative');
    return { object, outpoint: outpointOf(txid, vout) };
  });
  await ctx.mempool.settled();
  const spentBy = (tx: TxView): Record<string, JsonResult> => ({
    spendingtxid: hashHex(tx.txid),
    ...(whole ? { spendingtx: txHex(tx) } : {}),
  });
  const results = wanted.map(({ object, outpoint }) => {
    const spender = ctx.mempool.spender(outpoint);
    const asked: Record<string, JsonResult> = Object.fromEntries(object.keys.map((key, i) => [key, object.values[i] as JsonResult]));
    return { outpoint, found: spender !== undefined, shown: spender === undefined ? asked : { ...asked, ...spentBy(spender.tx) } };
  });
  const open = poolOnly ? [] : results.filter(({ found }) => !found);
  if (open.length > 0 && (index === null || !(await index.synced()))) {
    fail(RPC_CODE.MISC_ERROR, 'Mempool lacks a relevant spend, and txospenderindex is unavailable.');
  }
  for (const result of open) {
    const found = await index?.find(result.outpoint);
    if (found) result.shown = { ...result.shown, ...spentBy(found.tx), blockhash: hashHex(found.blockHash) };
  }
  return results.map(({ shown }) => shown);
};
