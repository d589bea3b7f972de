// Signs a message with the key of a P2PKH address of the wallet. Core 0.21: wallet/rpcwallet.cpp.
import { decodeAddress } from '../../../address/address.js';
import { signMessage } from '../../../address/signed-message.js';
import { follows } from '../../../policy/compat.js';
import type { WalletRun } from '../../context/wallet.js';
import { fail, RPC_CODE } from '../../errors.js';
import { ensureUnlocked, walletOf } from '../../wallet/select.js';
import type { signmessage as spec } from './signmessage.spec.js';

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
