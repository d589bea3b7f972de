// Core 31: wallet/rpc/wallet.cpp.

import { encodeExtendedKey, encodeExtendedSecret } from '../../../address/bip32/extended-codec.js';
import type { WalletRun } from '../../context/wallet.js';
import { declare } from '../../declare/parameters.js';
import { arr, bool, obj, str } from '../../declare/parts.js';
import { normalText } from '../../wallet/describe.js';
import { descriptorsOf, flagOf, rootsOf, secretOf } from '../../wallet/hd-keys.js';
import { ensureUnlocked, walletOf } from '../../wallet/select.js';
import type { JsonResult } from '../../wire/values.js';

export const spec = declare({
  name: 'gethdkeys',
  since: 28,
  category: 'wallet',
  runs: 'wallet',
  holds: 'keys',
  description: 'Returns the extended keys of a wallet, and the descriptors that are derived from each.',
  args: [
    obj('options?', '', { as: 'json', namedMembers: true }, [
      bool('active_only', 'Return only keys of active descriptors', { default: 'false' }),
      bool('private', 'Return private keys too. Requires an unlocked wallet', { default: 'false' }),
    ]),
  ],
  results: [
    arr([
      obj([
        str('xpub', 'The extended public key'),
        bool('has_private', 'Whether the wallet has the private key'),
        str('xprv?', 'The extended private key, if requested'),
        arr('descriptors', 'Descriptors with this key', [
          obj([str('desc', 'The descriptor'), bool('active', 'Whether the descriptor is active: new addresses come from it')]),
        ]),
      ]),
    ]),
  ],
  examples: [{ cli: '', rpc: '' }],
});

export const gethdkeys: WalletRun<typeof spec> = ({ options }, ctx, call) => {
  const wallet = walletOf(ctx, call);
  const keys = descriptorsOf(wallet, 'gethdkeys');
  const activeOnly = flagOf(options, 'active_only');
  const isPrivate = flagOf(options, 'private');
  if (isPrivate) ensureUnlocked(wallet);
  const active = new Set(keys.actives().map(({ number }) => number));
  const roots = rootsOf(ctx, activeOnly ? keys.actives() : keys.all());
  const result: JsonResult[] = [];
  for (const { key, numbers } of roots) {
    const listed: { desc: string; active: boolean }[] = [];
    let held = false;
    for (const number of numbers) {
      const tracked = keys.at(number);
      held ||= tracked.holds(key.publicKey);
      listed.push({ desc: normalText(wallet, tracked), active: active.has(number) });
    }
    listed.sort((a, b) => (a.desc < b.desc ? -1 : 1));
    const pair = isPrivate && held ? secretOf(ctx, keys, key) : null;
    result.push({
      xpub: encodeExtendedKey(key, ctx.params, ctx.descriptors),
      has_private: held,
      ...(pair ? { xprv: encodeExtendedSecret(pair, ctx.params, ctx.descriptors) } : {}),
      descriptors: listed,
    });
    pair?.secret.fill(0);
  }
  return result;
};
