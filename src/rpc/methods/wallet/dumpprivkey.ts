// Core 0.21: wallet/rpcdump.cpp.

import { decodeAddress } from '../../../address/address.js';
import { encodeWif } from '../../../address/wif.js';
import { keyOfDestination } from '../../../wallet/index.js';
import type { WalletRun } from '../../context/wallet.js';
import { declare } from '../../declare/parameters.js';
import { str } from '../../declare/parts.js';
import { fail, RPC_CODE } from '../../errors.js';
import { ensureUnlocked, legacyOf, walletOf } from '../../wallet/select.js';

export const spec = declare({
  name: 'dumpprivkey',
  category: 'wallet',
  until: 30,
  runs: 'wallet',
  holds: 'wallet',
  repeatable: true,
  description: 'Returns the private key of an address.',
  args: [str('address', 'The address')],
  results: [str('The key in WIF')],
  examples: [{ cli: '"myaddress"', rpc: '"myaddress"' }],
});

export const dumpprivkey: WalletRun<typeof spec> = (params, ctx, call) => {
  const wallet = walletOf(ctx, call);
  const legacy = legacyOf(wallet);
  ensureUnlocked(wallet);
  const { address: text } = params;
  const decoded = decodeAddress(text, ctx.params, ctx.crypto);
  if ('error' in decoded) return fail(RPC_CODE.INVALID_ADDRESS_OR_KEY, 'Invalid Bitcoin address');
  const id = keyOfDestination(decoded.script, legacy) ?? fail(RPC_CODE.TYPE_ERROR, 'Address does not refer to a key');
  const secret = legacy.secret(id) ?? fail(RPC_CODE.WALLET_ERROR, `Private key for address ${text} is not known`);
  const wif = encodeWif({ key: secret, compressed: legacy.publicKey(id)?.length === 33 }, ctx.params, ctx.crypto);
  secret.fill(0);
  return wif;
};
