// Core 31: rpc/external_signer.cpp, wallet/external_signer_scriptpubkeyman.cpp.

import { decodeAddress, encodeAddress } from '../../../address/address.js';
import { WALLET_FLAG } from '../../../wallet/index.js';
import type { WalletRun } from '../../context/wallet.js';
import { declare } from '../../declare/parameters.js';
import { obj, str } from '../../declare/parts.js';
import { fail, RPC_CODE } from '../../errors.js';
import { describeScript } from '../../wallet/describe.js';
import { signerOf } from '../../wallet/external-signer.js';
import { walletOf } from '../../wallet/select.js';

export const spec = declare({
  name: 'walletdisplayaddress',
  category: 'wallet',
  runs: 'wallet',
  holds: 'parts',
  since: 22,
  description: 'Shows an address on the device of a wallet with an external signer, so that you can compare it.',
  args: [str('address', 'An address of the wallet')],
  results: [obj([str('address', 'The address, as the device confirmed it')])],
  examples: [{ cli: '"bcrt1q..."', rpc: '"bcrt1q..."' }],
  waits: true,
});

export const walletdisplayaddress: WalletRun<typeof spec> = async (params, ctx, call) => {
  const wallet = walletOf(ctx, call);
  const { address: text } = params;
  const decoded = decodeAddress(text, ctx.params, ctx.crypto);
  if ('error' in decoded) return fail(RPC_CODE.INVALID_ADDRESS_OR_KEY, 'Invalid address');
  const { script } = decoded;
  const desc = wallet.record.has(WALLET_FLAG.EXTERNAL_SIGNER) ? describeScript(ctx, script, wallet.keys.provider(script)) : null;
  if (desc === null) return fail(RPC_CODE.MISC_ERROR, 'There is no ScriptPubKeyManager for this address');
  await signerOf(ctx).displayAddress(desc, encodeAddress(script, ctx.params, ctx.crypto) ?? text);
  return { address: text };
};
