// Runs getbalance.
import type { Balances } from '../../../wallet/coins/balance-sheet.js';
import { OWNERSHIP } from '../../../wallet/keys/ownership.js';
import type { Wallet } from '../../../wallet/wallet.js';
import { WALLET_FLAG } from '../../../wallet/wallet-record.js';
import { asBool, asInt, asString } from '../../args.js';
import type { WalletContext } from '../../context/wallet.js';
import type { CallInfo, Run } from '../../dispatch.js';
import { fail, RPC_CODE } from '../../errors.js';
import { balancesOf, given, includeWatchOnly, usedFilter } from '../../wallet/coins.js';
import { withSettled } from '../../wallet/select.js';
import { Amount, type JsonValue } from '../../wire/values.js';

export const getbalance: Run<WalletContext> = (ctx, args, call) =>
  withSettled(ctx, call, (wallet) => {
    const found = trustedBalances(wallet, args, call);
    const sum = (balances: readonly Balances[]): Amount => new Amount(balances.reduce((all, { trusted }) => all + trusted, 0));
    return found instanceof Promise ? found.then(sum) : sum(found);
  });

function trustedBalances(wallet: Wallet, args: readonly JsonValue[], call: CallInfo): Balances[] | Promise<Balances[]> {
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
  return balancesOf(wallet, call, () => kinds.map((ownership) => ({ ownership, minDepth, skip })));
}
