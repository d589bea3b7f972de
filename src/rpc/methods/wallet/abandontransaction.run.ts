import { inPaymentQueue } from '../../../wallet/index.js';
import type { WalletRun } from '../../context/wallet.js';
import { fail, RPC_CODE } from '../../errors.js';
import { unknownId } from '../../wallet/history.js';
import { settledWallet } from '../../wallet/select.js';
import type { abandontransaction as spec } from './abandontransaction.spec.js';

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
