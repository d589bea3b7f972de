import { follows } from '../../../policy/compat.js';
import type { WalletRun } from '../../context/wallet.js';
import { ADDRESS_TYPES_HELP } from '../../declare/address-parts.js';
import { declare } from '../../declare/parameters.js';
import { str } from '../../declare/parts.js';
import { fail, RPC_CODE } from '../../errors.js';
import { addressText, ensureKeys, givenType } from '../../wallet/addresses.js';
import { walletOf } from '../../wallet/select.js';

export const spec = declare({
  name: 'getrawchangeaddress',
  category: 'wallet',
  runs: 'wallet',
  holds: 'wallet',
  description: 'Returns a new address for change, for raw transactions.',
  args: [str('address_type', ADDRESS_TYPES_HELP, { default: 'set by -addresstype' })],
  results: [str('The address')],
  examples: [{ cli: '', rpc: '' }],
});

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
