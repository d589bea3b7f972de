import type { TrackedDescriptor } from '../../../wallet/index.js';
import type { WalletRun } from '../../context/wallet.js';
import { declare } from '../../declare/parameters.js';
import { arr, bool, fixed, num, obj, str, time } from '../../declare/parts.js';
import { fail, RPC_CODE } from '../../errors.js';
import { normalText } from '../../wallet/describe.js';
import { ensureUnlocked, walletOf } from '../../wallet/select.js';
import { encodeJson } from '../../wire/json-write.js';
import { Pieces } from '../../wire/pieces.js';
import { type JsonResult, RawJson } from '../../wire/values.js';

export const spec = declare({
  name: 'listdescriptors',
  category: 'wallet',
  runs: 'wallet',
  holds: 'keys',
  repeatable: true,
  description: 'Returns the descriptors of a wallet.',
  args: [bool('private', 'Return private keys', { default: 'false' })],
  results: [
    obj([
      str('wallet_name', 'Name of the wallet'),
      arr('descriptors', 'Descriptors, sorted as text', [
        obj([
          str('desc', 'The descriptor'),
          time('timestamp', 'Time of the first possible payment'),
          bool('active', 'Whether the descriptor is active: new addresses come from it'),
          bool('internal?', 'Whether the addresses are for change'),
          fixed('range?', 'First and last index', [num('First'), num('Last')]),
          num('next?', 'The same as next_index'),
          num('next_index?', 'The next index for a new address'),
        ]),
      ]),
    ]),
  ],
  examples: [
    { cli: '', rpc: '' },
    { cli: 'true', rpc: 'true' },
  ],
});

/**
 * Returns the members about a descriptor.
 * @param internal whether the descriptor provides change addresses; undefined if it provides no addresses
 */
function listed(tracked: TrackedDescriptor, desc: string, internal: boolean | undefined): Record<string, JsonResult> {
  const { isRange, time, rangeStart, rangeEnd, nextIndex } = tracked;
  return {
    desc,
    timestamp: time,
    active: internal !== undefined,
    ...(internal === undefined ? {} : { internal }),
    ...(isRange ? { range: [rangeStart, rangeEnd - 1], next: nextIndex, next_index: nextIndex } : {}),
  };
}

export const listdescriptors: WalletRun<typeof spec> = (params, ctx, call) => {
  const wallet = walletOf(ctx, call);
  const keys = wallet.descriptors ?? fail(RPC_CODE.WALLET_ERROR, 'listdescriptors is not available for non-descriptor wallets');
  const priv = params.private;
  if (priv && wallet.record.privateKeysDisabled) fail(RPC_CODE.WALLET_ERROR, "Can't get private descriptor string for watch-only wallets");
  if (priv) ensureUnlocked(wallet);
  const rows: { readonly desc: string; readonly number: number }[] = [];
  for (const tracked of keys.all()) {
    const { descriptor, number } = tracked;
    const text = priv ? descriptor.privateText(tracked, true) : normalText(wallet, tracked);
    rows.push({ desc: text ?? descriptor.toString(), number });
  }
  rows.sort((a, b) => (a.desc < b.desc ? -1 : a.desc > b.desc ? 1 : 0));
  const internal = new Map(keys.actives().map(({ number }) => [number, false]));
  for (const { number } of keys.actives(true)) internal.set(number, true);
  const pieces = new Pieces(',');
  for (const { desc, number } of rows) {
    pieces.add(encodeJson(listed(keys.at(number), desc, internal.get(number))));
  }
  return new RawJson(`{"wallet_name":${encodeJson(wallet.name)},"descriptors":[${pieces.text()}]}`);
};
