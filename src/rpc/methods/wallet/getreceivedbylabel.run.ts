import { follows } from '../../../policy/compat.js';
import { OWNERSHIP } from '../../../wallet/index.js';
import type { WalletRun } from '../../context/wallet.js';
import { fail, RPC_CODE } from '../../errors.js';
import { countedOf, tally } from '../../wallet/received.js';
import { labelOf, settledWallet } from '../../wallet/select.js';
import { Amount } from '../../wire/values.js';
import type { getreceivedbylabel as spec } from './getreceivedbylabel.spec.js';

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
