import { decodeAddress } from '../../../address/address.js';
import { purposeOf } from '../../../wallet/index.js';
import type { WalletRun } from '../../context/wallet.js';
import { fail, RPC_CODE } from '../../errors.js';
import { labelOf, walletOf } from '../../wallet/select.js';
import type { setlabel as spec } from './setlabel.spec.js';

export const setlabel: WalletRun<typeof spec> = async (params, ctx, call) => {
  const wallet = walletOf(ctx, call);
  const decoded = decodeAddress(params.address, ctx.params, ctx.crypto);
  if ('error' in decoded) return fail(RPC_CODE.INVALID_ADDRESS_OR_KEY, 'Invalid Bitcoin address');
  const label = labelOf(params.label);
  await wallet.change((batch) => wallet.book.set(decoded.script, label, purposeOf(wallet.keys.isMine(decoded.script)), batch));
  return null;
};
