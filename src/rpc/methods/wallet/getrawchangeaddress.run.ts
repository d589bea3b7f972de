import { follows } from '../../../policy/compat.js';
import type { WalletRun } from '../../context/wallet.js';
import { fail, RPC_CODE } from '../../errors.js';
import { addressText, ensureKeys, givenType } from '../../wallet/addresses.js';
import { walletOf } from '../../wallet/select.js';
import type { getrawchangeaddress as spec } from './getrawchangeaddress.spec.js';

export const getrawchangeaddress: WalletRun<typeof spec> = async ({ address_type }, ctx, call) => {
  const wallet = walletOf(ctx, call);
  ensureKeys(wallet, true);
  const { changeType, addressType } = wallet.parts.options;
  const type = givenType(ctx, wallet, address_type, changeType ?? addressType);
  const result = await wallet.change((batch) => wallet.keys.newAddress(type, true, batch));
  if ('script' in result) return addressText(ctx, result.script);
  // Since release 22, the message is that of getnewaddress.
  const error = follows(ctx.compat, 22) ? result.error : 'Error: Keypool ran out, please call keypoolrefill first';
  return fail(RPC_CODE.WALLET_KEYPOOL_RAN_OUT, error);
};
