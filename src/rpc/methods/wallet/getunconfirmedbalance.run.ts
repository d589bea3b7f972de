import { OWNERSHIP } from '../../../wallet/keys/ownership.js';
import type { WalletContext } from '../../context/wallet.js';
import type { Run } from '../../dispatch.js';
import { balancesOf, usedFilter } from '../../wallet/coins.js';
import { settledWallet } from '../../wallet/select.js';
import { Amount } from '../../wire/values.js';

export const getunconfirmedbalance: Run<WalletContext> = async (ctx, _args, call) => {
  const wallet = await settledWallet(ctx, call);
  const skip = usedFilter(wallet, true);
  return balancesOf(
    wallet,
    call,
    () => [{ ownership: OWNERSHIP.SPENDABLE, skip }],
    ([mine]) => new Amount(mine.pending),
  );
};
