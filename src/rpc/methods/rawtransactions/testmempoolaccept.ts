// Core 0.21: rpc/rawtransaction.cpp, node/transaction.cpp.

import type { TxView } from '../../../consensus/tx/tx-view.js';
import { type AcceptResult, MAX_PACKAGE_COUNT } from '../../../mempool/index.js';
import { follows } from '../../../policy/compat.js';
import { feeRateOf } from '../../../policy/fee-rate.js';
import { asString } from '../../args.js';
import type { NodeContext, NodeRun } from '../../context/node.js';
import { declare } from '../../declare/parameters.js';
import { amount, arr, bool, hex, num, obj, str } from '../../declare/parts.js';
import { fail, RPC_CODE } from '../../errors.js';
import { maxFee, packageTx, rejectMembers, testPackage } from '../../node/packages.js';
import { maxRate, offeredTx } from '../../node/send.js';
import { hashHex } from '../../render/hex.js';
import { Amount, type JsonResult } from '../../wire/values.js';

export const spec = declare({
  name: 'testmempoolaccept',
  category: 'rawtransactions',
  runs: 'node',
  repeatable: true,
  checks: 'types',
  description: 'Returns whether the mempool would accept transactions. With several, later ones may spend earlier ones.',
  args: [
    arr('rawtxs', 'The transactions as hex, at most 25, each once', [hex('rawtx?', '')]),
    amount('maxfeerate', 'Refuse the transaction above this fee rate, in BTC/kB', { default: '0.10' }),
  ],
  results: [
    arr('One result for each transaction', [
      obj([
        hex('txid', 'The transaction id'),
        hex('wtxid', 'The witness hash', { since: 22 }),
        str('package-error?', 'Error of the package', { since: 22 }),
        bool('allowed?', 'Whether the mempool would accept the transaction. Absent if it would not accept an earlier one'),
        num('vsize_adjusted?', 'Virtual size, adjusted for signature operations. Only if allowed', { since: 32 }),
        num('vsize?', 'Virtual size on which fees are based. Only if allowed'),
        num('vsize_bip141?', 'Virtual size (BIP141). Only if allowed', { since: 32 }),
        obj('fees?', 'Fees. Only if allowed', [
          amount('base', 'The fee in BTC'),
          amount('effective-feerate?', 'The feerate in BTC/kvB', { since: 25 }),
          arr('effective-includes?', 'wtxids of the transactions whose fees and sizes are part of the fee rate', { since: 25 }, [hex()]),
        ]),
        str('reject-reason?', 'The reject reason'),
        str('reject-details?', 'The reject reason with details', { since: 29 }),
      ]),
    ]),
  ],
  examples: [{ cli: `'["signedhex"]'`, rpc: '["signedhex"]' }],
});

export const testmempoolaccept: NodeRun<typeof spec> = ({ rawtxs: list, maxfeerate }, ctx, call) => {
  // Core 0.21 accepts only one transaction; since release 22 there may be several.
  const several = follows(ctx.compat, 22);
  if (list.length === 0 || list.length > MAX_PACKAGE_COUNT || (!several && new Set(list).size < list.length)) {
    const count = several ? `between 1 and ${MAX_PACKAGE_COUNT} transactions.` : 'exactly one raw transaction for now';
    fail(RPC_CODE.INVALID_PARAMETER, `Array must contain ${count}`);
  }
  const rate = maxRate(ctx, maxfeerate);
  if (list.length > 1)
    return testPackage(
      ctx,
      list.map((text) => packageTx(ctx, text)),
      rate,
    );
  const text = asString(list[0]);
  const tx = offeredTx(ctx, text, call, several ? `: ${text}` : undefined);
  const result = ctx.mempool.accept(tx, { testOnly: true });
  return result instanceof Promise ? result.then((late) => shown(ctx, tx, late, rate)) : shown(ctx, tx, result, rate);
};

function shown(ctx: NodeContext, tx: TxView, result: AcceptResult, rate: number): JsonResult {
  const several = follows(ctx.compat, 22);
  const { reject, fee } = result;
  // Since release 22 the virtual size is adjusted for signature operations.
  const vsize = several ? result.size : result.vsize;
  const ids = { txid: hashHex(tx.txid), wtxid: hashHex(tx.wtxid) };
  if (reject) return [{ ...ids, allowed: false, ...rejectMembers(reject) }];
  if (fee > maxFee(ctx, rate, vsize)) return [{ ...ids, allowed: false, 'reject-reason': 'max-fee-exceeded' }];
  const feeRate = feeRateOf(result.modifiedFee, result.size);
  const fees = { base: new Amount(fee), 'effective-feerate': new Amount(feeRate), 'effective-includes': [ids.wtxid] };
  return [{ ...ids, allowed: true, vsize_adjusted: vsize, vsize, vsize_bip141: tx.vsize, fees }];
}
