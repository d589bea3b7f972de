import type { BalanceQuestion } from '../../../wallet/coins/balance-sheet.js';
import { OWNERSHIP } from '../../../wallet/keys/ownership.js';
import type { Wallet } from '../../../wallet/wallet.js';
import { WALLET_FLAG } from '../../../wallet/wallet-record.js';
import { asBool, asInt, asString } from '../../args.js';
import type { WalletRun } from '../../context/wallet.js';
import { fail, RPC_CODE } from '../../errors.js';
import { balancesOf, given, includeWatchOnly, usedFilter } from '../../wallet/coins.js';
import { withSettled } from '../../wallet/select.js';
import { Amount, type JsonValue } from '../../wire/values.js';
import type { getbalance as spec } from './getbalance.spec.js';

export const getbalance: WalletRun<typeof spec> = ({ args }, ctx, call) =>
  withSettled(ctx, call, (wallet) => {
    const asked = questionsOf(wallet, args);
    return balancesOf(
      wallet,
      call,
      () => asked,
      (found) => new Amount(found.reduce((all, { trusted }) => all + trusted, 0)),
    );
  });

function questionsOf(wallet: Wallet, args: readonly JsonValue[]): BalanceQuestion[] {
  if (given(args[0]) && asString(args[0]) !== '*') {
    fail(RPC_CODE.METHOD_DEPRECATED, 'dummy first argument must be excluded or set to "*".');
  }
  const minDepth = given(args[1]) ? asInt(args[1]) : 0;
  const watch = includeWatchOnly(wallet, args[2]);
  const canAvoid = wallet.record.has(WALLET_FLAG.AVOID_REUSE);
  const avoid = given(args[3]) ? asBool(args[3]) : canAvoid;
  if (avoid && !canAvoid) fail(RPC_CODE.WALLET_ERROR, 'wallet does not have the "avoid reuse" feature enabled');
  const kinds = watch ? [OWNERSHIP.SPENDABLE, OWNERSHIP.WATCH] : [OWNERSHIP.SPENDABLE];
  const skip = usedFilter(wallet, avoid);
  return kinds.map((ownership) => ({ ownership, minDepth, skip }));
}
