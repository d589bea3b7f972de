// Shared by getbalance, getbalances, getunconfirmedbalance, listlockunspent, and lockunspent.
import { runStepsInSlices } from '../../lib/steps.js';
import { type BalanceQuestion, type Balances, needsCoins } from '../../wallet/coins/balance-sheet.js';
import type { Wallet } from '../../wallet/wallet.js';
import { WALLET_FLAG } from '../../wallet/wallet-record.js';
import type { CallInfo } from '../dispatch.js';
import { Slicer } from '../node/slices.js';
import { yieldIfDueFor } from './import-outcome.js';

/** Returns include_watchonly. Default: true for wallets without private keys. */
export const includeWatchOnly = (wallet: Wallet, value: boolean | undefined): boolean => value ?? wallet.privateKeysDisabled;

/**
 * Returns a filter for coins of used addresses, if the wallet has the flag avoid_reuse and the caller wants to avoid
 * reuse.
 */
export function usedFilter(wallet: Wallet, avoid: boolean): ((coin: number) => boolean) | undefined {
  if (!avoid || !wallet.record.has(WALLET_FLAG.AVOID_REUSE)) return undefined;
  return (coin) => wallet.isUsed(wallet.ledger.coins.script(coin));
}

/**
 * Computes several balances while the wallet does not change. If a question needs every coin, the call holds the wallet
 * exclusively until the result is built.
 * @param questions returns the balances to compute; called again when the wallet is held
 * @param answer builds the result from the balances before the wallet is released
 */
export function balancesOf<T>(
  wallet: Wallet,
  call: CallInfo,
  questions: () => readonly BalanceQuestion[],
  answer: (found: readonly Balances[]) => T,
): T | Promise<T> {
  const { ledger, access } = wallet;
  if (!questions().some(needsCoins)) {
    return access.runCall(() => {
      wallet.assertOpen();
      return answer(questions().map((question) => ledger.sheet.balances(question)));
    });
  }
  return access.runExclusive(async () => {
    wallet.assertOpen();
    const yieldIfDue = yieldIfDueFor(wallet, new Slicer(call.yieldToUrgent));
    const found: Balances[] = [];
    for (const question of questions()) found.push(await runStepsInSlices(ledger.sheet.sumBalances(question), yieldIfDue));
    return answer(found);
  });
}
