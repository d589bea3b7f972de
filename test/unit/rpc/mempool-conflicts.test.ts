// mempoolconflicts: the transactions in the mempool that keep a transaction of the wallet out of it.

import t from 'tap';
import { buildTx } from '../../../src/consensus/tx/build-tx.js';
import { parseTx, type TxView } from '../../../src/consensus/tx/tx-view.js';
import { COMPATS } from '../../../src/policy/compat.js';
import { gettransaction } from '../../../src/rpc/methods/wallet/gettransaction.js';
import { hashHex } from '../../../src/rpc/render/hex.js';
import { encodeJson } from '../../../src/rpc/wire/json-write.js';
import { UNCONFIRMED_PLACE } from '../../../src/wallet/coins/tx-table.js';
import { clientOf } from '../../framework/chain-client.js';
import { createMemoryWallet, crypto } from '../../framework/memory-wallet.js';
import { runMethod } from '../../framework/run-method.js';
import { contextOf } from '../../framework/wallet-calls.js';

type Spent = readonly [tx: TxView, index: number];

t.test('gettransaction lists mempool transactions that conflict with it or with an ancestor', async (t) => {
  const { wallet, address, receive } = await createMemoryWallet({ wallet: { laterRecords: true } });
  const script = await address('bech32');
  const funds = await receive(
    [0, 1].map(() => ({ script, value: 1000 })),
    900,
  );
  const spend = (version: number, spent: readonly Spent[], value: number): TxView => {
    const inputs = spent.map(([{ txid }, prevIndex]) => ({ prevHash: txid, prevIndex, scriptSig: new Uint8Array(0), sequence: 0 }));
    const outputs = [0, 1].map(() => ({ script, value }));
    return parseTx(buildTx({ version, inputs, outputs, locktime: 0 }), crypto);
  };
  const seen = async (...txs: TxView[]): Promise<void> => {
    for (const tx of txs) await wallet.change((batch) => wallet.ledger.putRecord(tx, UNCONFIRMED_PLACE, batch));
  };
  let inPool: readonly TxView[] = [];
  /** Returns the reported conflicts of a transaction after the mempool has changed to these transactions. */
  const conflicts = async (tx: TxView, pool: readonly TxView[]): Promise<string[]> => {
    for (const one of inPool) if (!pool.includes(one)) wallet.ledger.setInMempool(one, false);
    for (const one of pool) if (!inPool.includes(one)) wallet.ledger.setInMempool(one, true);
    inPool = pool;
    const answers = { relatives: async (txids: readonly Uint8Array[]) => txids.map(() => null) };
    const ctx = { ...contextOf(wallet), compat: COMPATS['31'], client: clientOf({ tip: wallet.tip! }, {}, answers) };
    const result = await runMethod(gettransaction, ctx, [hashHex(tx.txid)], { user: '', path: '/' });
    return (JSON.parse(encodeJson(result as never)) as { mempoolconflicts: string[] }).mempoolconflicts;
  };
  const ids = (...txs: TxView[]): string[] => txs.map(({ txid }) => hashHex(txid));

  const parent = spend(3, [[funds, 0]], 400);
  const [mine, others] = [spend(3, [[parent, 0]], 100), spend(3, [[parent, 1]], 90)];
  const below = spend(3, [[mine, 0]], 30);
  await seen(parent, mine, below);
  t.same(await conflicts(mine, [parent, mine]), []);
  t.same(await conflicts(mine, [parent, others]), ids(others), 'the only child that a parent of version 3 may have');
  t.same(await conflicts(below, [parent, others]), ids(others), 'its descendants conflict too');
  t.same(await conflicts(mine, [parent]), [], 'the conflict has left the mempool');

  const rival = spend(2, [[funds, 0]], 300);
  for (const tx of [parent, mine, below]) t.same(await conflicts(tx, [rival]), ids(rival), 'of an ancestor');
  await wallet.change((batch) => wallet.ledger.abandonTransaction(wallet.ledger.txs.find(parent.txid), batch));
  for (const tx of [parent, mine, below]) t.same(await conflicts(tx, [rival]), ids(rival), 'of an ancestor that is abandoned');
  for (const tx of [parent, mine, below]) t.same(await conflicts(tx, []), [], 'the conflict has left the mempool');

  const plain = spend(2, [[funds, 1]], 400);
  const [one, two] = [spend(2, [[plain, 0]], 100), spend(2, [[plain, 1]], 90)];
  await seen(plain, one, two);
  t.same(await conflicts(one, [plain, two]), [], 'siblings of other versions do not conflict');

  const earlier = spend(2, [[funds, 1]], 350);
  await conflicts(plain, [earlier]);
  const late = spend(2, [[funds, 1]], 300);
  await seen(late);
  t.same(await conflicts(plain, [earlier]), ids(earlier));
  t.same(await conflicts(late, [earlier]), [], 'the rival was in the mempool before the wallet had the payment');
});
