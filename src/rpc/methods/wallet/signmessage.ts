// Signs a message with the key of a P2PKH address of the wallet. Core 0.21: wallet/rpcwallet.cpp.

import { decodeAddress } from '../../../address/address.js';
import { signMessage } from '../../../address/signed-message.js';
import { follows } from '../../../policy/compat.js';
import type { WalletRun } from '../../context/wallet.js';
import { declare } from '../../declare/parameters.js';
import { str } from '../../declare/parts.js';
import { fail, RPC_CODE } from '../../errors.js';
import { ensureUnlocked, walletOf } from '../../wallet/select.js';

export const spec = declare({
  name: 'signmessage',
  category: 'wallet',
  runs: 'wallet',
  holds: 'wallet',
  repeatable: true,
  description: 'Signs a message with the private key of a P2PKH address. The wallet must be unlocked.',
  args: [str('address', 'The address whose key signs'), str('message', 'The text')],
  results: [str('The signature in Base64, for verifymessage')],
  examples: [{ cli: '"1D1ZrZNe3JUo7ZycKEYQQiQAWd9y54F4XX" "my message"', rpc: '"1D1ZrZNe3JUo7ZycKEYQQiQAWd9y54F4XX", "my message"' }],
});

export const signmessage: WalletRun<typeof spec> = (params, ctx, call) => {
  const wallet = walletOf(ctx, call);
  ensureUnlocked(wallet);
  const [text, message] = [params.address, params.message];
  const decoded = decodeAddress(text, ctx.params, ctx.crypto);
  if ('error' in decoded) return fail(follows(ctx.compat, 22) ? RPC_CODE.INVALID_ADDRESS_OR_KEY : RPC_CODE.TYPE_ERROR, 'Invalid address');
  if (decoded.kind !== 'pubkeyhash') return fail(RPC_CODE.TYPE_ERROR, 'Address does not refer to key');
  const provider = wallet.keys.provider(decoded.script);
  const secret = provider?.secret(decoded.payload);
  if (secret === undefined) return fail(RPC_CODE.WALLET_ERROR, 'Private key not available');
  try {
    const compressed = provider?.publicKey(decoded.payload)?.length === 33;
    const bytes = new Uint8Array(Buffer.from(message, 'utf8'));
    return signMessage(bytes, secret, compressed, ctx.crypto, ctx.recoverable) ?? fail(RPC_CODE.INVALID_ADDRESS_OR_KEY, 'Sign failed');
  } finally {
    secret.fill(0);
  }
};
