import { type BalanceQuestion, OWNERSHIP, WALLET_FLAG, type Wallet } from '../../../wallet/index.js';
import type { WalletRun } from '../../context/wallet.js';
import { declare, type ParametersOf } from '../../declare/parameters.js';
import { amount, bool, num, str } from '../../declare/parts.js';
import { fail, RPC_CODE } from '../../errors.js';
import { includeWatchOnly, usedFilter } from '../../wallet/coins.js';
import { withSettled } from '../../wallet/select.js';
import { Amount } from '../../wire/values.js';

export const spec = declare({
  name: 'getbalance',
  category: 'wallet',
  runs: 'wallet',
  holds: 'wallet',
  repeatable: true,
  description: 'Returns the sum of the trusted coins of the wallet.',
  args: [
    str('dummy?', 'Omit, or set to "*"'),
    num('minconf', 'Minimum number of confirmations', { default: '0' }),
    bool('include_watchonly', 'Include watch-only coins', { default: 'true for watch-only wallets, otherwise false' }),
    bool('avoid_reuse', 'Exclude coins of addresses that were spent from (only with avoid_reuse)', { seesAbsence: true, default: 'true' }),
  ],
  results: [amount('BTC')],
  examples: [
    { cli: '', rpc: '' },
    { cli: '"*" 6', rpc: '"*", 6' },
  ],
});

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
