import { follows } from '../../../policy/compat.js';
import { OWNERSHIP } from '../../../wallet/index.js';
import type { WalletRun } from '../../context/wallet.js';
import { IMMATURE_ARG } from '../../declare/history-parts.js';
import { declare } from '../../declare/parameters.js';
import { amount, num, str } from '../../declare/parts.js';
import { fail, RPC_CODE } from '../../errors.js';
import { countedOf, tally } from '../../wallet/received.js';
import { labelOf, settledWallet } from '../../wallet/select.js';
import { Amount } from '../../wire/values.js';

export const spec = declare({
  name: 'getreceivedbylabel',
  category: 'wallet',
  runs: 'wallet',
  holds: 'wallet',
  repeatable: true,
  description: 'Returns the sum that the addresses of a label have received. Since release 23 this includes mature coinbases.',
  args: [str('label', 'The label. "" is a label too'), num('minconf', 'Minimum number of confirmations', { default: '1' }), IMMATURE_ARG],
  results: [amount('BTC')],
  examples: [
    { cli: '""', rpc: '""' },
    { cli: '"tabby" 6', rpc: '"tabby", 6' },
  ],
});

export const getreceivedbylabel: WalletRun<typeof spec> = async (params, ctx, call) => {
  const wallet = await settledWallet(ctx, call);
  const label = labelOf(params.label);
  const counted = countedOf(ctx, params);
  const depths = wallet.ledger.depths();
  let sum = 0;
  let owned = false;
  let known = false;
  for (const row of wallet.book.rowsOf(label)) {
    known = true;
    const script = wallet.book.scriptAt(row);
    if (wallet.keys.isMine(script) !== OWNERSHIP.NO) {
      owned = true;
      sum += tally(wallet, script, counted, depths).amount;
    }
  }
  if (!owned && follows(ctx.compat, 24)) fail(RPC_CODE.WALLET_ERROR, `${known ? 'Address' : 'Label'} not found in wallet`);
  return new Amount(sum);
};
