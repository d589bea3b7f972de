import { follows, shows } from '../../../policy/compat.js';
import { type Balances, OWNERSHIP, TX_STATE, type Wallet } from '../../../wallet/index.js';
import type { WalletRun } from '../../context/wallet.js';
import { LAST_PROCESSED } from '../../declare/members.js';
import { declare } from '../../declare/parameters.js';
import { amount, obj } from '../../declare/parts.js';
import { usedFilter } from '../../wallet/coins.js';
import { lastProcessed, settledWallet } from '../../wallet/select.js';
import { Amount, type JsonResult } from '../../wire/values.js';

export const spec = declare({
  name: 'getbalances',
  category: 'wallet',
  runs: 'wallet',
  holds: 'wallet',
  repeatable: true,
  description: 'Returns all balances of the wallet.',
  args: [],
  results: [
    obj([
      obj('mine', 'Coins that the wallet can sign for', [
        amount('trusted', 'Trusted coins: confirmed ones, and own unconfirmed change'),
        amount('untrusted_pending', 'Unconfirmed coins from others'),
        amount('immature', 'Immature block rewards'),
        amount('nonmempool', 'Amount of these coins that own transactions outside the mempool spend (negative)', { since: 32 }),
        amount('used?', 'Coins of addresses that were spent from'),
      ]),
      obj('watchonly?', 'Watch-only coins', { until: 30 }, [
        amount('trusted', 'Trusted coins: confirmed ones, and own unconfirmed change'),
        amount('untrusted_pending', 'Unconfirmed coins from others'),
        amount('immature', 'Immature block rewards'),
      ]),
      LAST_PROCESSED,
    ]),
  ],
  examples: [{ cli: '', rpc: '' }],
});

export const getbalances: WalletRun<typeof spec> = async (_, ctx, call) => {
  const wallet = await settledWallet(ctx, call);
  const skip = usedFilter(wallet, true);
  const { SPENDABLE, WATCH } = OWNERSHIP;
  const { sheet } = wallet.ledger;
  const mine = sheet.balances({ ownership: SPENDABLE, skip, skipsYoung: follows(ctx.compat, 32) });
  const all = skip ? sheet.balances({ ownership: SPENDABLE }) : mine;
  const waiting = shows(ctx.compat, { since: 32 }) ? spentOutside(wallet, skip) : NOTHING_WAITS;
  const { trusted, pending, used, sum } = waiting;
  return {
    mine: {
      ...shown({ trusted: mine.trusted + trusted, pending: mine.pending + pending, immature: mine.immature }),
      ...(shows(ctx.compat, { since: 32 }) && { nonmempool: new Amount(-sum) }),
      ...(skip && { used: new Amount(worth(all) - worth(mine) + used) }),
    },
    ...(wallet.legacy?.watches ? { watchonly: shown(sheet.balances({ ownership: WATCH, skip })) } : {}),
    lastprocessedblock: lastProcessed(wallet),
  };
};

const shown = ({ trusted, pending, immature }: Balances): Record<string, JsonResult> => ({
  trusted: new Amount(trusted),
  untrusted_pending: new Amount(pending),
  immature: new Amount(immature),
});
const worth = ({ trusted, pending, immature }: Balances): number => trusted + pending + immature;

/**
 * Satoshis in coins that only own transactions outside the mempool spend. `used`: coins of addresses that `skip` excludes.
 * `sum`: all of them and immature coins, which other balances contain although they are spent.
 */
interface WaitingSpends extends Omit<Balances, 'immature'> {
  readonly used: number;
  readonly sum: number;
}

const NOTHING_WAITS: WaitingSpends = { trusted: 0, pending: 0, used: 0, sum: 0 };

/**
 * Sums up the coins that only own transactions outside the mempool spend. Each coin counts in the balance to which it would
 * belong if it were unspent. Core: the SpendType::NONMEMPOOL case of GetBalance.
 */
function spentOutside({ ledger }: Wallet, skip: ((coin: number) => boolean) | undefined): WaitingSpends {
  const { txs, coins, spends, sheet } = ledger;
  const isTaken = (row: number): boolean => txs.inMempool(row) || txs.state(row) === TX_STATE.CONFIRMED;
  const memo = new Map<number, boolean>();
  const balanceOf = (row: number): keyof Balances | null => {
    if (ledger.blocksToMaturity(row) > 0 && ledger.depth(row) > 0) return 'immature';
    if (sheet.isTrusted(row, memo)) return 'trusted';
    return txs.inMempool(row) ? 'pending' : null;
  };
  const seen = new Set<number>();
  const sums = { ...NOTHING_WAITS };
  for (const row of txs.rowsOutsideChain()) {
    if (txs.state(row) !== TX_STATE.UNCONFIRMED || txs.inMempool(row)) continue;
    const tx = txs.view(row);
    for (let i = 0; i < (tx?.inputCount ?? 0); i++) {
      const outpoint = tx!.outpoint(i);
      const coin = coins.find(outpoint);
      if (coin < 0 || seen.has(coin) || coins.ownership(coin) !== OWNERSHIP.SPENDABLE) continue;
      seen.add(coin);
      if (!ledger.isSpent(outpoint) || spends.spenders(outpoint).some(isTaken)) continue;
      const balance = balanceOf(coins.txRow(coin));
      if (balance === null) continue;
      sums.sum += coins.value(coin);
      if (balance !== 'immature') sums[skip?.(coin) ? 'used' : balance] += coins.value(coin);
    }
  }
  return sums;
}
