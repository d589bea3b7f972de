import { inPaymentQueue } from '../../../wallet/index.js';
import type { WalletRun } from '../../context/wallet.js';
import { declare } from '../../declare/parameters.js';
import { hash, none } from '../../declare/parts.js';
import { fail, RPC_CODE } from '../../errors.js';
import { unknownId } from '../../wallet/history.js';
import { settledWallet } from '../../wallet/select.js';

export const spec = declare({
  name: 'abandontransaction',
  category: 'wallet',
  runs: 'wallet',
  holds: 'parts',
  description:
    'Abandons a transaction that is neither in a block nor in the mempool, and all transactions that spend its\noutputs. The wallet can then spend their inputs again.',
  args: [hash('txid', 'The transaction')],
  results: [none()],
  examples: [
    {
      cli: '"1075db55d416d3ca199f55b6084e2115b9345e16c5cf302fc80e9d5fbf5d48d0"',
      rpc: '"1075db55d416d3ca199f55b6084e2115b9345e16c5cf302fc80e9d5fbf5d48d0"',
    },
  ],
});

export const abandontransaction: WalletRun<typeof spec> = async (params, ctx, call) => {
  const wallet = await settledWallet(ctx, call);
  const { txid } = params;
  if (wallet.ledger.txs.find(txid) < 0) unknownId();
  // Wait until no spend is in progress: otherwise the transaction could enter the mempool after its coins were
  // released.
  const done = await inPaymentQueue(wallet, async () => {
    await wallet.events.applyPending();
    const row = wallet.ledger.txs.find(txid);
    return row >= 0 && (await wallet.change((batch) => wallet.ledger.abandonTransaction(row, batch)));
  });
  if (!done) fail(RPC_CODE.INVALID_ADDRESS_OR_KEY, 'Transaction not eligible for abandonment');
  return null;
};
