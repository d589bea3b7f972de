// Core 31: wallet/rpc/wallet.cpp.

import { encodeExtendedKey, encodeExtendedSecret } from '../../../address/bip32/extended-codec.js';
import { deriveSecretPath, type ExtendedKey, fingerprintOf, HARDENED } from '../../../address/bip32/extended-key.js';
import { formatPath, parsePath } from '../../../address/bip32/key-path.js';
import { equalBytes, toHex } from '../../../consensus/bytes/hex.js';
import type { DescriptorKeys } from '../../../wallet/index.js';
import type { WalletContext, WalletRun } from '../../context/wallet.js';
import { declare } from '../../declare/parameters.js';
import { bool, obj, str } from '../../declare/parts.js';
import { fail, RPC_CODE } from '../../errors.js';
import {
  descriptorsOf,
  failUnknown,
  flagOf,
  invalidKey,
  namedKey,
  option,
  orderOf,
  rootsOf,
  secretOf,
  unused,
} from '../../wallet/hd-keys.js';
import { ensureUnlocked, walletOf } from '../../wallet/select.js';
import { type Given, given } from '../../wallet/spend-args.js';

export const spec = declare({
  name: 'derivehdkey',
  since: 32,
  category: 'wallet',
  runs: 'wallet',
  holds: 'keys',
  description: 'Derives an extended key from a key of the wallet. The wallet must be unlocked.',
  args: [
    str('path', 'The path (BIP-0032), with at least one hardened step'),
    obj('options?', '', { as: 'json', namedMembers: true }, [
      bool('private', 'Return the private key too', { default: 'false' }),
      str('hdkey', 'The extended public key (gethdkeys) to begin with', {
        default: 'the one added by addhdkey, else the one of all active descriptors',
      }),
    ]),
  ],
  results: [
    obj([
      str('origin', 'Fingerprint and path, as descriptors have them before a key'),
      str('xpub', 'The extended public key'),
      str('xprv?', 'The extended private key, if requested'),
    ]),
  ],
  examples: [{ cli: 'm/87h/0h/0h', rpc: '"m/87h/0h/0h"' }],
});

const isSame = (a: ExtendedKey, b: ExtendedKey): boolean =>
  orderOf(a, b) === 0 && a.depth === b.depth && a.childNumber === b.childNumber && equalBytes(a.parentFingerprint, b.parentFingerprint);

/**
 * Longest path in characters: 255 steps have about 3,000, and a path of megabytes would block the thread for seconds.
 */
const MOST_PATH = 16_384;

export const derivehdkey: WalletRun<typeof spec> = (params, ctx, call) => {
  const wallet = walletOf(ctx, call);
  const keys = descriptorsOf(wallet, 'derivehdkey');
  if (wallet.record.privateKeysDisabled) fail(RPC_CODE.WALLET_ERROR, 'derivehdkey is not available for watch-only wallets');
  const text = params.path;
  const path = (text.length > MOST_PATH ? null : parsePath(text)) ?? fail(RPC_CODE.INVALID_PARAMETER, 'Invalid BIP32 keypath');
  const isPrivate = flagOf(params.options, 'private');
  if (!path.some((step) => step >= HARDENED)) {
    fail(RPC_CODE.INVALID_PARAMETER, 'Derivation path requires at least one hardened step');
  }
  ensureUnlocked(wallet);
  const root = derivedRoot(ctx, keys, option(params.options, 'hdkey'));
  const pair = secretOf(ctx, keys, root) ?? failUnknown(ctx, root);
  const child = deriveSecretPath(pair, path, ctx.descriptors);
  pair.secret.fill(0);
  if (child === null) return fail(RPC_CODE.INVALID_PARAMETER, 'Unable to derive HD key at the requested path');
  const fingerprint = toHex(fingerprintOf(root.publicKey, ctx.crypto));
  const result = {
    origin: `[${fingerprint}${formatPath(path, 'h')}]`,
    xpub: encodeExtendedKey(child.key, ctx.params, ctx.descriptors),
    ...(isPrivate ? { xprv: encodeExtendedSecret(child, ctx.params, ctx.descriptors) } : {}),
  };
  child.secret.fill(0);
  return result;
};

/**
 * Returns the key to derive from: the one added by addhdkey, otherwise that of the descriptors that provide addresses.
 */
function derivedRoot(ctx: WalletContext, keys: DescriptorKeys, named: Given): ExtendedKey {
  const spare = rootsOf(ctx, unused(keys));
  if (given(named)) {
    const key = namedKey(ctx, named);
    const known = [...spare, ...rootsOf(ctx, keys.actives())];
    return known.some((root) => isSame(root.key, key)) ? key : invalidKey('HD key is not used by an active or unused(KEY) descriptor');
  }
  if (spare.length > 1) invalidKey("Unable to determine which HD key to use. Please specify with 'hdkey'");
  const roots = spare.length === 1 ? spare : rootsOf(ctx, keys.actives());
  if (roots.length === 0) invalidKey('No active or unused(KEY) descriptor found');
  if (roots.length > 1) {
    invalidKey("Unable to determine which HD key to use from active descriptors. Please specify with 'hdkey'");
  }
  return roots[0].key;
}
