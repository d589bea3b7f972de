import { type BalanceQuestion, OWNERSHIP, WALLET_FLAG, type Wallet } from '../../../wallet/index.js';
import type { WalletRun } from '../../context/wallet.js';
import type { ParametersOf } from '../../declare/parameters.js';
import { fail, RPC_CODE } from '../../errors.js';
import { includeWatchOnly, usedFilter } from '../../wallet/coins.js';
import { withSettled } from '../../wallet/select.js';
import { Amount } from '../../wire/values.js';
import type { getbalance as spec } from './getbalance.spec.js';

export const getbalance: WalletRun<typeof spec> = (params, ctx, call) =>
  withSettled(ctx, call, (wallet) => {
    const { sheet } = wallet.ledger;
    return new Amount(questionsOf(wallet, params).reduce((all, question) => all + sheet.balances(question).trusted, 0));
  });

function questionsOf(wallet: Wallet, params: ParametersOf<typeof spec>): BalanceQuestion[] {
  if ((params.dummy ?? '*') !== '*') {
    fail(RPC_CODE.METHOD_DEPRECATED, 'dummy first argument must be excluded or set to "*".');
  }
  const { minconf: minDepth } = params;
  const watch = includeWatchOnly(wallet, params.include_watchonly);
  const canAvoid = wallet.record.has(WALLET_FLAG.AVOID_REUSE);
  const avoid = params.avoid_reuse ?? canAvoid;
  if (avoid && !canAvoid) fail(RPC_CODE.WALLET_ERROR, 'wallet does not have the "avoid reuse" feature enabled');
  const kinds = watch ? [OWNERSHIP.SPENDABLE, OWNERSHIP.WATCH] : [OWNERSHIP.SPENDABLE];
  const skip = usedFilter(wallet, avoid);
  return kinds.map((ownership) => ({ ownership, minDepth, skip }));
}
