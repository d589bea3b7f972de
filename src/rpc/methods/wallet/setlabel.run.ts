import { decodeAddress } from '../../../address/address.js';
import { purposeOf } from '../../../wallet/address-book.js';
import { asString } from '../../args.js';
import type { WalletContext } from '../../context/wallet.js';
import type { Run } from '../../dispatch.js';
import { fail, RPC_CODE } from '../../errors.js';
import { labelOf, walletOf } from '../../wallet/select.js';

export const setlabel: Run<WalletContext> = async (ctx, args, call) => {
  const wallet = walletOf(ctx, call);
  const decoded = decodeAddress(asString(args[0]), ctx.params, ctx.crypto);
  if ('error' in decoded) return fail(RPC_CODE.INVALID_ADDRESS_OR_KEY, 'Invalid Bitcoin address');
  const label = labelOf(asString(args[1]));
  await wallet.change((batch) => wallet.book.set(decoded.script, label, purposeOf(wallet.isMine(decoded.script)), batch));
  return null;
};
