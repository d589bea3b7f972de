// Core 0.21: wallet/rpcdump.cpp.

import { TX_STATE } from '../../../wallet/index.js';
import type { WalletRun } from '../../context/wallet.js';
import { declare } from '../../declare/parameters.js';
import { hash, none } from '../../declare/parts.js';
import { fail, RPC_CODE } from '../../errors.js';
import { settledWallet } from '../../wallet/select.js';

export const spec = declare({
  name: 'removeprunedfunds',
  category: 'wallet',
  runs: 'wallet',
  holds: 'wallet',
  description: 'Removes a transaction from the wallet, whether importprunedfunds added it or not. The balances change\naccordingly.',
  args: [hash('txid', 'The transaction')],
  results: [none()],
  examples: [
    {
      cli: '"a8d0c0184dde994a09ec054286f1ce581bebf46446a512166eae7628734ea0a5"',
      rpc: '"a8d0c0184dde994a09ec054286f1ce581bebf46446a512166eae7628734ea0a5"',
    },
  ],
});

export const removeprunedfunds: WalletRun<typeof spec> = async (params, ctx, call) => {
  const wallet = await settledWallet(ctx, call);
  if (!wallet.parts.options.removesRecords) {
    fail(
      RPC_CODE.METHOD_DEPRECATED,
      'DEPRECATION WARNING: This feature will be removed in the next major release. Start bitcoind with the `-deprecatedrpc=removeprunedfunds` option in order to use this.',
    );
  }
  const { txid } = params;
  const row = wallet.ledger.txs.find(txid);
  if (row < 0) return fail(RPC_CODE.INVALID_PARAMETER, 'Transaction does not exist in wallet.');
  const confirmed = wallet.ledger.txs.state(row) === TX_STATE.CONFIRMED;
  const tx = await wallet.reader.readOne(row);
  // A record has no bytes only if another call removed it meanwhile.
  if (tx === undefined || wallet.ledger.txs.find(txid) !== row) {
    return confirmed
      ? fail(RPC_CODE.WALLET_ERROR, 'Could not properly delete the transaction.')
      : fail(RPC_CODE.INVALID_PARAMETER, 'Transaction does not exist in wallet.');
  }
  await wallet.change((batch) => wallet.ledger.removeTransaction(tx, batch));
  return null;
};
