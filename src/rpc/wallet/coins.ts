// What getbalance, getbalances, getunconfirmedbalance, listlockunspent and lockunspent share.
import { runStepsInSlices } from '../../lib/steps.js';
import { type BalanceQuestion, type Balances, needsCoins } from '../../wallet/coins/balance-sheet.js';
import type { Wallet } from '../../wallet/wallet.js';
import { WALLET_FLAG } from '../../wallet/wallet-record.js';
import { asBool } from '../args.js';
import type { CallInfo } from '../dispatch.js';
import { Slicer } from '../node/slices.js';
import type { JsonValue } from '../wire/values.js';
import { yieldIfDueFor } from './import-outcome.js';

export const given = (value: JsonValue | undefined): value is JsonValue => value !== undefined && value !== null;

/** include_watchonly: by default what the wallet is made for. */
export function includeWatchOnly(wallet: Wallet, value: JsonValue | undefined): boolean {
  return given(value) ? asBool(value) : wallet.privateKeysDisabled;
}

/** Leaves out coins of addresses that were spent from, when the wallet minds. */
export function usedFilter(wallet: Wallet, avoid: boolean): ((coin: number) => boolean) | undefined {
  if (!avoid || !wallet.record.has(WALLET_FLAG.AVOID_REUSE)) return undefined;
  return (coin) => wallet.isUsed(wallet.ledger.coins.script(coin));
}

/**
 * Balances, all of one moment: where they take a look at every coin, the wallet is theirs meanwhile.
 * @param questions asked in that moment
 * @param answer what is told of them; what else it reads of the wallet is of the same moment
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
    const breath = yieldIfDueFor(wallet, new Slicer(call.yieldToUrgent));
    const found: Balances[] = [];
    for (const question of questions()) found.push(await runStepsInSlices(ledger.sheet.sumBalances(question), breath));
    return answer(found);
  });
}
