import { decodeAddress } from '../../../address/address.js';
import { OWNERSHIP } from '../../../wallet/index.js';
import type { WalletRun } from '../../context/wallet.js';
import { IMMATURE_ARG } from '../../declare/history-parts.js';
import { declare } from '../../declare/parameters.js';
import { amount, num, str } from '../../declare/parts.js';
import { fail, RPC_CODE } from '../../errors.js';
import { countedOf, tally } from '../../wallet/received.js';
import { settledWallet } from '../../wallet/select.js';
import { Amount } from '../../wire/values.js';

export const spec = declare({
  name: 'getreceivedbyaddress',
  category: 'wallet',
  runs: 'wallet',
  holds: 'wallet',
  repeatable: true,
  description: 'Returns the sum that an address has received. Since release 23 this includes mature coinbases.',
  args: [str('address', 'An address of the wallet'), num('minconf', 'Minimum number of confirmations', { default: '1' }), IMMATURE_ARG],
  results: [amount('BTC')],
  examples: [
    { cli: '"bc1q09vm5lfy0j5reeulh4x5752q25uqqvz34hufdl"', rpc: '"bc1q09vm5lfy0j5reeulh4x5752q25uqqvz34hufdl"' },
    { cli: '"bc1q09vm5lfy0j5reeulh4x5752q25uqqvz34hufdl" 6', rpc: '"bc1q09vm5lfy0j5reeulh4x5752q25uqqvz34hufdl", 6' },
  ],
});

export const getreceivedbyaddress: WalletRun<typeof spec> = async (params, ctx, call) => {
  const wallet = await settledWallet(ctx, call);
  const decoded = decodeAddress(params.address, ctx.params, ctx.crypto);
  if ('error' in decoded) return fail(RPC_CODE.INVALID_ADDRESS_OR_KEY, 'Invalid Bitcoin address');
  if (wallet.keys.isMine(decoded.script) === OWNERSHIP.NO) fail(RPC_CODE.WALLET_ERROR, 'Address not found in wallet');
  return new Amount(tally(wallet, decoded.script, countedOf(ctx, params)).amount);
};
