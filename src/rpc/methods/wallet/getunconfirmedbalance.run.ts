import { OWNERSHIP } from '../../../wallet/index.js';
import type { WalletRun } from '../../context/wallet.js';
import { usedFilter } from '../../wallet/coins.js';
import { settledWallet } from '../../wallet/select.js';
import { Amount } from '../../wire/values.js';
import type { getunconfirmedbalance as spec } from './getunconfirmedbalance.spec.js';

export const getunconfirmedbalance: WalletRun<typeof spec> = async (_, ctx, call) => {
  const wallet = await settledWallet(ctx, call);
  const skip = usedFilter(wallet, true);
  return new Amount(wallet.ledger.sheet.balances({ ownership: OWNERSHIP.SPENDABLE, skip }).pending);
};
