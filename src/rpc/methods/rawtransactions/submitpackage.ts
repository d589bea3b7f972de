// Core 31: rpc/mempool.cpp.

import { rejectText } from '../../../consensus/state.js';
import type { TxView } from '../../../consensus/tx/tx-view.js';
import { isChildWithLoneParents, MAX_PACKAGE_COUNT, type PackageTxResult, packageFaultText } from '../../../mempool/index.js';
import type { NodeRun } from '../../context/node.js';
import { declare } from '../../declare/parameters.js';
import { amount, arr, dyn, hex, num, obj, str } from '../../declare/parts.js';
import { fail, RPC_CODE } from '../../errors.js';
import { ABSURD_FEE_RATE, burns, type Fields, failAbsurdRate, failBurnt, feesOf, keyOf, packageTx, sizesOf } from '../../node/packages.js';
import { hashHex } from '../../render/hex.js';
import { Amount } from '../../wire/values.js';

export const spec = declare({
  name: 'submitpackage',
  category: 'rawtransactions',
  runs: 'node',
  checks: 'types',
  description:
    'Submits one transaction, or a child together with its unconfirmed parents, to the mempool. Parents come first\nand the child last. No parent may spend another.\nThe node accepts transactions that are valid alone. It accepts the others together, by their common fee rate,\nor not at all.',
  args: [
    arr('package', 'The transactions as hex, 25 at most', [hex('rawtx?', '')]),
    amount(
      'maxfeerate',
      'Refuse transactions above this fee rate, in BTC/kvB.\n0 accepts any fee rate. Values of 1 and more are not allowed',
      { default: '0.10' },
    ),
    amount('maxburnamount', 'Refuse transactions whose unspendable outputs exceed this amount, in BTC', { default: '0.00' }),
  ],
  results: [
    obj([
      str('package_msg', '"success", or what is wrong with the package'),
      dyn('tx-results', 'Results by wtxid', [
        obj('wtxid', '', [
          hex('txid', 'The transaction id'),
          hex('other-wtxid?', 'wtxid of the transaction with the same txid and another witness that is in the mempool'),
          num('vsize_adjusted?', 'Sigop-adjusted virtual size. Only if the transaction is in the mempool', { since: 32 }),
          num('vsize?', 'The same'),
          num('vsize_bip141?', 'Virtual size (BIP141). Only if the transaction is in the mempool', { since: 32 }),
          obj('fees?', 'Fees. Only if the transaction is in the mempool', [
            amount('base', 'The fee in BTC'),
            amount('effective-feerate?', 'Effective fee rate in BTC/kvB. Absent if the transaction was already in the mempool'),
            arr('effective-includes?', 'wtxids of the transactions whose fees and sizes are part of the effective fee rate', [hex()]),
          ]),
          str('error?', 'Reason why the transaction was not accepted'),
        ]),
      ]),
      arr('replaced-transactions?', 'Ids of the transactions that were replaced', [hex()]),
    ]),
  ],
  examples: [{ cli: `'["parenthex", "childhex"]'`, rpc: '["parenthex", "childhex"]' }],
});

/** Default of maxfeerate: 0.10 BTC per 1,000 virtual bytes. */

export const submitpackage: NodeRun<typeof spec> = async (params, ctx) => {
  const { package: list } = params;
  if (list.length === 0 || list.length > MAX_PACKAGE_COUNT) {
    fail(RPC_CODE.INVALID_PARAMETER, `Array must contain between 1 and ${MAX_PACKAGE_COUNT} transactions.`);
  }
  const { maxfeerate: maxFeeRate } = params;
  if (maxFeeRate >= ABSURD_FEE_RATE) failAbsurdRate();
  const { maxburnamount: maxBurn } = params;
  const txs = list.map((text) => {
    const tx = packageTx(ctx, text);
    return burns(tx, maxBurn) ? failBurnt() : tx;
  });
  if (txs.length > 1 && !isChildWithLoneParents(txs)) {
    fail(RPC_CODE.VERIFY_ERROR, 'package topology disallowed. not child-with-parents or parents depend on each other.');
  }
  const { fault, results } = await ctx.mempool.acceptPackage(txs, maxFeeRate === 0 ? {} : { maxFeeRate });
  const shown: Fields = {};
  const replaced: Uint8Array[] = [];
  for (const tx of txs) {
    // Announce only once, as Core does: package transactions are not re-announced until a peer requests them.
    // Transactions that were evicted again are not announced.
    ctx.mempool.announce(tx.txid);
    const result = results.get(keyOf(tx));
    shown[hashHex(tx.wtxid)] = {
      txid: hashHex(tx.txid),
      ...(result === undefined ? { error: 'package-not-validated' } : submitted(tx, result)),
    };
    if (result?.kind === 'valid') replaced.push(...result.replaced);
  }
  const ids = [...new Map(replaced.sort(Buffer.compare).map((txid) => [hashHex(txid), txid])).keys()];
  return {
    package_msg: fault === null ? 'success' : packageFaultText(fault),
    'tx-results': shown,
    'replaced-transactions': ids,
  };
};

function submitted(tx: TxView, result: PackageTxResult): Fields {
  switch (result.kind) {
    case 'valid':
      return { ...sizesOf(tx, result.size), fees: feesOf(result) };
    case 'known':
      return { ...sizesOf(tx, result.size), fees: { base: new Amount(result.fee) } };
    case 'other-witness':
      return { 'other-wtxid': hashHex(result.wtxid) };
    case 'invalid':
      return { error: rejectText(result.reject) };
  }
}
