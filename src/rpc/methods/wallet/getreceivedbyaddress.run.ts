import { decodeAddress } from '../../../address/address.js';
import { OWNERSHIP } from '../../../wallet/index.js';
import type { WalletRun } from '../../context/wallet.js';
import { fail, RPC_CODE } from '../../errors.js';
import { countedOf, tally } from '../../wallet/received.js';
import { settledWallet } from '../../wallet/select.js';
import { Amount } from '../../wire/values.js';
import type { getreceivedbyaddress as spec } from './getreceivedbyaddress.spec.js';

export const getreceivedbyaddress: WalletRun<typeof spec> = async (params, ctx, call) => {
  const wallet = await settledWallet(ctx, call);
  const decoded = decodeAddress(params.address, ctx.params, ctx.crypto);
  if ('error' in decoded) return fail(RPC_CODE.INVALID_ADDRESS_OR_KEY, 'Invalid Bitcoin address');
  if (wallet.keys.isMine(decoded.script) === OWNERSHIP.NO) fail(RPC_CODE.WALLET_ERROR, 'Address not found in wallet');
  return new Amount(tally(wallet, decoded.script, countedOf(ctx, params)).amount);
};
