import { decodeAddress } from '../../../address/address.js';
import { purposeOf } from '../../../wallet/index.js';
import type { WalletRun } from '../../context/wallet.js';
import { declare } from '../../declare/parameters.js';
import { none, str } from '../../declare/parts.js';
import { fail, RPC_CODE } from '../../errors.js';
import { labelOf, walletOf } from '../../wallet/select.js';

export const spec = declare({
  name: 'setlabel',
  category: 'wallet',
  runs: 'wallet',
  holds: 'wallet',
  description: 'Sets the label of an address.',
  args: [str('address', 'The address'), str('label', 'The label')],
  results: [none()],
  examples: [{ cli: '"bc1q09vm5lfy0j5reeulh4x5752q25uqqvz34hufdl" "tabby"', rpc: '"bc1q09vm5lfy0j5reeulh4x5752q25uqqvz34hufdl", "tabby"' }],
});

export const setlabel: WalletRun<typeof spec> = async (params, ctx, call) => {
  const wallet = walletOf(ctx, call);
  const decoded = decodeAddress(params.address, ctx.params, ctx.crypto);
  if ('error' in decoded) return fail(RPC_CODE.INVALID_ADDRESS_OR_KEY, 'Invalid Bitcoin address');
  const label = labelOf(params.label);
  await wallet.change((batch) => wallet.book.set(decoded.script, label, purposeOf(wallet.keys.isMine(decoded.script)), batch));
  return null;
};
