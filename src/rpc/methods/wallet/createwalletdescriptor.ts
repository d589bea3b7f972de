// Core 31: wallet/rpc/wallet.cpp.

import type { ExtendedKey } from '../../../address/bip32/extended-key.js';
import { accountDescriptor, addAccount, type DescriptorKeys, fillPool } from '../../../wallet/index.js';
import { asBool } from '../../args.js';
import type { WalletContext, WalletRun } from '../../context/wallet.js';
import { declare } from '../../declare/parameters.js';
import { arr, bool, obj, str } from '../../declare/parts.js';
import { fail, RPC_CODE } from '../../errors.js';
import { normalText } from '../../wallet/describe.js';
import { descriptorsOf, failUnknown, invalidKey, namedKey, option, rootsOf, secretOf } from '../../wallet/hd-keys.js';
import { ensureUnlocked, walletOf } from '../../wallet/select.js';
import { type Given, given } from '../../wallet/spend-args.js';

export const spec = declare({
  name: 'createwalletdescriptor',
  since: 28,
  category: 'wallet',
  runs: 'wallet',
  holds: 'keys',
  description: 'Creates the descriptors for an address type that the wallet does not have yet. The wallet must be unlocked.',
  args: [
    str('type', 'The address type: "legacy", "p2sh-segwit", "bech32" or "bech32m"', {
      oneOf: ['legacy', 'p2sh-segwit', 'bech32', 'bech32m'],
      refusal: { code: RPC_CODE.INVALID_ADDRESS_OR_KEY, text: "Unknown address type '%s'" },
    }),
    obj('options?', '', { as: 'json', namedMembers: true }, [
      bool('internal', 'true: only the descriptor for change. false: only the one for receiving', { default: 'both' }),
      str('hdkey', 'The extended public key (gethdkeys) to derive from', { default: 'the one of all active descriptors' }),
    ]),
  ],
  results: [obj([arr('descs', 'The descriptors that were added', [str('A descriptor')])])],
  examples: [{ cli: 'bech32m', rpc: '"bech32m"' }],
  waits: true,
});

export const createwalletdescriptor: WalletRun<typeof spec> = async (params, ctx, call) => {
  const wallet = walletOf(ctx, call);
  const keys = descriptorsOf(wallet, 'createwalletdescriptor');
  const { type } = params;
  const internal = option(params.options, 'internal');
  const halves = given(internal) ? [asBool(internal)] : [false, true];
  ensureUnlocked(wallet);
  const root = accountRoot(ctx, keys, option(params.options, 'hdkey'));
  const pair = secretOf(ctx, keys, root) ?? failUnknown(ctx, root);
  try {
    const made = await wallet.change((batch) => {
      ensureUnlocked(wallet);
      const fresh = halves
        .map((half) => ({ half, descriptor: accountDescriptor(root, type, half, ctx.descriptors) }))
        .filter(({ descriptor }) => keys.find(keys.idOf(descriptor)) === undefined);
      if (fresh.length === 0) fail(RPC_CODE.WALLET_ERROR, 'Descriptor already exists');
      return fresh.map(({ half, descriptor }) => addAccount(wallet, pair, descriptor, half, batch));
    });
    await fillPool(wallet, 0, () => ensureUnlocked(wallet), new Set(made.map(({ number }) => number)));
    return { descs: made.map((one) => normalText(wallet, one)) };
  } finally {
    pair.secret.fill(0);
  }
};

/** Returns the key from which new descriptors are derived. */
function accountRoot(ctx: WalletContext, keys: DescriptorKeys, named: Given): ExtendedKey {
  if (given(named)) return namedKey(ctx, named);
  const roots = rootsOf(ctx, keys.actives());
  if (roots.length !== 1) {
    invalidKey("Unable to determine which HD key to use from active descriptors. Please specify with 'hdkey'");
  }
  return roots[0].key;
}
