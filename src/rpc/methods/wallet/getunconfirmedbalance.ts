import { OWNERSHIP } from '../../../wallet/index.js';
import type { WalletRun } from '../../context/wallet.js';
import { declare } from '../../declare/parameters.js';
import { amount } from '../../declare/parts.js';
import { usedFilter } from '../../wallet/coins.js';
import { settledWallet } from '../../wallet/select.js';
import { Amount } from '../../wire/values.js';

export const spec = declare({
  name: 'getunconfirmedbalance',
  category: 'wallet',
  until: 30,
  runs: 'wallet',
  holds: 'wallet',
  repeatable: true,
  description: 'Returns the same as getbalances().mine.untrusted_pending. For older programs.',
  args: [],
  results: [amount('BTC')],
  examples: [],
});

export const getunconfirmedbalance: WalletRun<typeof spec> = async (_, ctx, call) => {
  const wallet = await settledWallet(ctx, call);
  const skip = usedFilter(wallet, true);
  return new Amount(wallet.ledger.sheet.balances({ ownership: OWNERSHIP.SPENDABLE, skip }).pending);
};
