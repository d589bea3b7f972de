// Runs getbalances.
import { follows, shows } from '../../../policy/compat.js';
import type { BalanceQuestion, Balances } from '../../../wallet/coins/balance-sheet.js';
import { TX_STATE } from '../../../wallet/coins/tx-table.js';
import { OWNERSHIP } from '../../../wallet/keys/ownership.js';
import type { Wallet } from '../../../wallet/wallet.js';
import type { WalletContext } from '../../context/wallet.js';
import type { Run } from '../../dispatch.js';
import { balancesOf, usedFilter } from '../../wallet/coins.js';
import { lastProcessed, settledWallet } from '../../wallet/select.js';
import { Amount, type JsonResult } from '../../wire/values.js';

export const getbalances: Run<WalletContext> = async (ctx, _args, call) => {
  const wallet = await settledWallet(ctx, call);
  const skip = usedFilter(wallet, true);
  const { SPENDABLE, WATCH } = OWNERSHIP;
  const questions = (): BalanceQuestion[] => [
    { ownership: SPENDABLE, skip, skipsYoung: follows(ctx.compat, 32) },
    ...(skip ? [{ ownership: SPENDABLE }] : []),
    ...(wallet.legacy?.watches ? [{ ownership: WATCH, skip }] : []),
  ];
  return balancesOf(wallet, call, questions, ([mine, ...others]) => {
    const all = skip ? others.shift()! : mine;
    const watched = others.shift();
    const waiting = shows(ctx.compat, { since: 32 }) ? spentOutside(wallet) : 0;
    return {
      mine: {
        ...shown({ ...mine, trusted: mine.trusted + waiting }),
        ...(shows(ctx.compat, { since: 32 }) && { nonmempool: new Amount(-waiting) }),
        ...(skip && { used: new Amount(worth(all) - worth(mine)) }),
      },
      ...(watched ? { watchonly: shown(watched) } : {}),
      lastprocessedblock: lastProcessed(wallet),
    };
  });
};

const shown = ({ trusted, pending, immature }: Balances): Record<string, JsonResult> => ({
  trusted: new Amount(trusted),
  untrusted_pending: new Amount(pending),
  immature: new Amount(immature),
});
const worth = ({ trusted, pending, immature }: Balances): number => trusted + pending + immature;

/**
 * What own transactions that are not in the mempool spend of confirmed coins, where nothing else spends those.
 * Satoshis.
 */
function spentOutside({ ledger }: Wallet): number {
  const { txs, coins, spends } = ledger;
  const isTaken = (row: number): boolean => txs.inMempool(row) || txs.state(row) === TX_STATE.CONFIRMED;
  const seen = new Set<number>();
  let sum = 0;
  for (const row of txs.liveRows()) {
    const tx = txs.view(row);
    if (!tx || txs.inMempool(row) || txs.state(row) !== TX_STATE.UNCONFIRMED) continue;
    for (let i = 0; i < tx.inputCount; i++) {
      const coin = coins.find(tx.outpoint(i));
      if (coin < 0 || seen.has(coin) || coins.ownership(coin) !== OWNERSHIP.SPENDABLE) continue;
      seen.add(coin);
      if (ledger.depth(coins.txRow(coin)) > 0 && ![...spends.spenders(tx.outpoint(i))].some(isTaken)) sum += coins.value(coin);
    }
  }
  return sum;
}
