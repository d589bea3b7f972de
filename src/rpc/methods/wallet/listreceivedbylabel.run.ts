import type { WalletRun } from '../../context/wallet.js';
import { receivedByAddress, receivedChoice, shownDepth } from '../../wallet/received.js';
import { settledWallet } from '../../wallet/select.js';
import { Amount } from '../../wire/values.js';
import type { listreceivedbylabel as spec } from './listreceivedbylabel.spec.js';

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
