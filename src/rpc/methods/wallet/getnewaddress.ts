import type { WalletRun } from '../../context/wallet.js';
import { ADDRESS_TYPES_HELP } from '../../declare/address-parts.js';
import { declare } from '../../declare/parameters.js';
import { str } from '../../declare/parts.js';
import { fail, RPC_CODE } from '../../errors.js';
import { addressText, ensureKeys, givenType } from '../../wallet/addresses.js';
import { labelOf, walletOf } from '../../wallet/select.js';

export const spec = declare({
  name: 'getnewaddress',
  category: 'wallet',
  runs: 'wallet',
  holds: 'wallet',
  description: 'Returns a new address to receive payments.',
  args: [str('label', 'The label', { default: '""' }), str('address_type', ADDRESS_TYPES_HELP, { default: 'set by -addresstype' })],
  results: [str('The address')],
  examples: [{ cli: '', rpc: '' }],
});

export const getnewaddress: WalletRun<typeof spec> = async (params, ctx, call) => {
  const wallet = walletOf(ctx, call);
  // Require keys for receiving, as Core does: the change keys of a watch-only pool do not suffice.
  ensureKeys(wallet, false);
  const label = labelOf(params.label);
  const type = givenType(ctx, wallet, params.address_type, wallet.parts.options.addressType);
  const result = await wallet.change((batch) => {
    const next = wallet.keys.newAddress(type, false, batch);
    if ('script' in next) wallet.book.set(next.script, label, 'receive', batch);
    return next;
    // The wallet stores the new index durably before the reply: otherwise, after a power loss, another payer would get
    // the same address.
  });
  return 'script' in result ? addressText(ctx, result.script) : fail(RPC_CODE.WALLET_KEYPOOL_RAN_OUT, result.error);
};
