import type { WalletRun } from '../../context/wallet.js';
import { IMMATURE_ARG, receivedArgs } from '../../declare/history-parts.js';
import { declare } from '../../declare/parameters.js';
import { amount, arr, bool, num, obj, str } from '../../declare/parts.js';
import { receivedByAddress, receivedChoice, shownDepth } from '../../wallet/received.js';
import { settledWallet } from '../../wallet/select.js';
import { Amount } from '../../wire/values.js';

export const spec = declare({
  name: 'listreceivedbylabel',
  category: 'wallet',
  runs: 'wallet',
  holds: 'wallet',
  repeatable: true,
  description: 'Returns the sum that the addresses of each label have received. Since release 23 this includes mature\ncoinbases.',
  args: [...receivedArgs('labels'), IMMATURE_ARG],
  results: [
    arr([
      obj([
        bool('involvesWatchonly?', 'Whether an address of the label is watch-only'),
        amount('amount', 'BTC'),
        num('confirmations', 'Number of confirmations of the latest transaction'),
        str('label', 'The label'),
      ]),
    ]),
  ],
  examples: [
    { cli: '', rpc: '' },
    { cli: '6 true', rpc: '6, true' },
  ],
});

export const listreceivedbylabel: WalletRun<typeof spec> = async (params, ctx, call) => {
  const wallet = await settledWallet(ctx, call);
  const byLabel = new Map<string, { amount: number; depth: number; watched: boolean }>();
  for (const entry of receivedByAddress(ctx, wallet, receivedChoice(ctx, wallet, params), null)) {
    const sum = byLabel.get(entry.label);
    byLabel.set(entry.label, {
      amount: (sum?.amount ?? 0) + entry.amount,
      depth: Math.min(sum?.depth ?? Number.POSITIVE_INFINITY, entry.depth),
      // The last address of a label determines involvesWatchonly, as in Core.
      watched: entry.watched,
    });
  }
  const labels = [...byLabel].sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  return labels.map(([label, sum]) => ({
    involvesWatchonly: sum.watched || undefined,
    amount: new Amount(sum.amount),
    confirmations: shownDepth(sum.depth),
    label,
  }));
};
