// Balances of a wallet with many unconfirmed payments: a second query checks only the payments that have changed.
// random-history.test.ts checks the sums themselves.
import t from 'tap';
import { buildTx } from '../../../src/consensus/tx/build-tx.js';
import { parseTx, type TxView } from '../../../src/consensus/tx/tx-view.js';
import { OWNERSHIP } from '../../../src/wallet/keys/ownership.js';
import { createMemoryWallet, crypto, TIP } from '../../framework/memory-wallet.js';

const PAYMENTS = 300;
const spend = (spent: TxView, vout: number, script: Uint8Array, locktime = 0): TxView =>
  parseTx(
    buildTx({
      version: 2,
      inputs: [{ prevHash: spent.txid, prevIndex: vout, scriptSig: new Uint8Array(0), sequence: 0xfffffffe }],
      outputs: [{ script, value: 500 }],
      locktime,
    }),
    crypto,
  );

async function world() {
  let looks = 0;
  let height = TIP;
  const made = await createMemoryWallet({
    isFinal: (tx) => {
      looks++;
      return tx.locktime <= height;
    },
  });
  const script = await made.address('bech32');
  const { ledger } = made.wallet;
  return {
    ...made,
    ledger,
    script,
    /** Returns the trusted and pending satoshis, and how many records were checked to compute them. */
    ask(): number[] {
      looks = 0;
      const { trusted, pending } = ledger.sheet.balances({ ownership: OWNERSHIP.SPENDABLE });
      return [trusted, pending, looks];
    },
    tip(to: number): void {
      height = to;
      ledger.setTip(to);
    },
  };
}

t.test('updating balances checks only unconfirmed payments of others that have changed', async (t) => {
  const { ask, receive, ledger, script, tip } = await world();
  for (let i = 0; i < PAYMENTS; i++) await receive([{ script, value: 100 }], 0);
  t.same(ask(), [0, PAYMENTS * 100, PAYMENTS]);
  t.same(ask(), [0, PAYMENTS * 100, 0], 'nothing has changed');
  const last = await receive([{ script, value: 7 }], 0);
  t.same(ask(), [0, PAYMENTS * 100 + 7, 1]);
  ledger.setInMempool(last, false);
  t.same(ask(), [0, PAYMENTS * 100, 1]);
  ledger.setInMempool(last, true);
  t.same(ask(), [0, PAYMENTS * 100 + 7, 1]);
  tip(TIP + 1);
  t.same(ask(), [0, PAYMENTS * 100 + 7, 0], 'a block that brings none of them');
});

t.test('updating balances checks only own unconfirmed payments that have changed', async (t) => {
  const { ask, receive, enter, wallet, ledger, script, tip } = await world();
  const outputs = Array.from({ length: PAYMENTS }, () => ({ script, value: 1000 }));
  const parent = await receive(outputs, 900);
  const children = outputs.map((_, vout) => spend(parent, vout, script));
  for (const child of children) await enter(child);
  t.same(ask(), [PAYMENTS * 500, 0, PAYMENTS]);
  const grandchild = spend(children[0]!, 0, script);
  await enter(grandchild);
  t.same(ask(), [PAYMENTS * 500, 0, 2], 'the payment and its parent are checked');
  ledger.setInMempool(children[0]!, false);
  t.same(ask(), [(PAYMENTS - 1) * 500, 500, 2], 'a child of an untrusted payment is not trusted');
  ledger.setInMempool(grandchild, false);
  t.same(ask(), [(PAYMENTS - 1) * 500, 0, 1]);
  await wallet.change((batch) => ledger.abandonTransaction(ledger.txs.find(grandchild.txid), batch));
  ledger.setInMempool(children[0]!, true);
  t.same(ask(), [PAYMENTS * 500, 0, 1]);

  const late = spend(children[1]!, 0, script, TIP + 2);
  await enter(late);
  t.same(ask(), [(PAYMENTS - 1) * 500, 500, 1], 'not before block 1002');
  tip(TIP + 1);
  t.same(ask(), [(PAYMENTS - 1) * 500, 500, 1]);
  tip(TIP + 2);
  t.same(ask(), [PAYMENTS * 500, 0, 2]);
  tip(TIP + 1);
  t.same(ask().slice(0, 2), [(PAYMENTS - 1) * 500, 500], 'after a disconnected block');
});
