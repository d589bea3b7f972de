// Tests the effects of a tip change alone: coins that a conflicted payment holds or releases, and coinbases that
// mature.
import t from 'tap';
import { buildTx } from '../../../src/consensus/tx/build-tx.js';
import { parseTx, type TxView } from '../../../src/consensus/tx/tx-view.js';
import { BUCKET } from '../../../src/wallet/coins/coin-table.js';
import { outpointOf } from '../../../src/wallet/coins/outpoint.js';
import { TX_STATE, type TxPlace, UNCONFIRMED_PLACE } from '../../../src/wallet/coins/tx-table.js';
import { OWNERSHIP } from '../../../src/wallet/keys/ownership.js';
import { createMemoryWallet, crypto, TIP } from '../../framework/memory-wallet.js';

const OUTSIDE = Uint8Array.of(0, 20, ...new Uint8Array(20).fill(9));
const at = (height: number): TxPlace => ({
  state: TX_STATE.CONFIRMED,
  height,
  blockHash: crypto.sha256(new Uint8Array(new Uint32Array([height]).buffer)),
  blockTime: 1_600_000_000,
  position: 1,
});
const spend = (spent: readonly TxView[], script: Uint8Array): TxView =>
  parseTx(
    buildTx({
      version: 2,
      inputs: spent.map(({ txid }) => ({ prevHash: txid, prevIndex: 0, scriptSig: new Uint8Array(0), sequence: 0xffffffff })),
      outputs: [{ script, value: 500 }],
      locktime: 0,
    }),
    crypto,
  );

t.test('a conflicted payment releases its coins until the block is disconnected', async (t) => {
  const { wallet, address, receive } = await createMemoryWallet();
  const { ledger } = wallet;
  const script = await address('bech32');
  const [shared, own] = [await receive([{ script, value: 1000 }], 900), await receive([{ script, value: 3000 }], 900)];
  const payment = spend([shared, own], OUTSIDE);
  const rival = spend([shared], OUTSIDE);
  const bucketOf = ({ txid }: TxView): number => ledger.coins.bucket(ledger.coins.find(outpointOf(txid, 0)));
  const state = (): number[] => [
    ledger.depth(ledger.txs.find(payment.txid)),
    bucketOf(shared),
    bucketOf(own),
    ledger.sheet.balances({ ownership: OWNERSHIP.SPENDABLE }).trusted,
  ];

  await wallet.change((batch) => ledger.putRecord(payment, UNCONFIRMED_PLACE, batch));
  t.same(state(), [0, BUCKET.NONE, BUCKET.NONE, 0]);
  await wallet.change((batch) => ledger.syncTransaction(rival, at(1000), batch));
  const free = [BUCKET.NONE, BUCKET.CONFIRMED, 3000];
  t.same(state(), [-1, ...free], 'the coins that the conflict did not spend are free');
  for (const [height, depth] of [
    [1001, -2],
    [1006, -7],
    [1000, -1],
  ]) {
    ledger.setTip(height!);
    t.same(state(), [depth, ...free], `tip ${height}`);
  }
  ledger.setTip(999);
  t.same(state(), [0, BUCKET.NONE, BUCKET.NONE, 0], 'the block left the chain: the payment may stand again');
  ledger.setTip(998);
  t.same(state(), [0, BUCKET.NONE, BUCKET.NONE, 0]);
  ledger.setTip(1015);
  t.same(state(), [0, BUCKET.NONE, BUCKET.NONE, 0], 'nor is it void below other blocks, up to any height');
  ledger.setTip(999);
  ledger.setTip(1000);
  await wallet.change((batch) => ledger.syncTransaction(rival, at(1000), batch));
  t.same(state(), [-1, ...free], 'the block came back');
  ledger.setTip(1002);
  t.same(state(), [-3, ...free]);
  ledger.setTip(990);
  t.same(state(), [0, BUCKET.NONE, BUCKET.NONE, 0], 'by several blocks');
});

t.test('a coinbase matures with the tip and becomes immature again below it', async (t) => {
  const { wallet, address } = await createMemoryWallet();
  const { ledger } = wallet;
  const input = { prevHash: new Uint8Array(32), prevIndex: 0xffffffff, scriptSig: Uint8Array.of(1, 1), sequence: 0xffffffff };
  const outputs = [{ script: await address('bech32'), value: 5000 }];
  const coinbase = parseTx(buildTx({ version: 2, inputs: [input], outputs, locktime: 0 }), crypto);
  await wallet.change((batch) => ledger.syncTransaction(coinbase, { ...at(901), position: 0 }, batch));
  const sums = (): number[] => {
    const { trusted, immature } = ledger.sheet.balances({ ownership: OWNERSHIP.SPENDABLE });
    return [trusted, immature];
  };
  t.same(sums(), [0, 5000], '100 confirmations');
  for (const [height, trusted] of [
    [1001, 5000],
    [1000, 0],
    [1002, 5000],
    // With 1,000 confirmations the coinbase is still checked.
    [1900, 5000],
    [1000, 0],
    [1001, 5000],
  ]) {
    ledger.setTip(height!);
    t.same(sums(), [trusted, 5000 - trusted!], `tip ${height}`);
  }
});

t.test('a new tip does not check unconfirmed or conflicted payments', async (t) => {
  const { wallet, address, receive } = await createMemoryWallet();
  const { ledger } = wallet;
  const script = await address('bech32');
  const paid = await receive([{ script, value: 1000 }], 900);
  for (let i = 0; i < 100; i++) await receive([{ script, value: 10 }], 0);
  await wallet.change((batch) => ledger.putRecord(spend([paid], OUTSIDE), UNCONFIRMED_PLACE, batch));
  const asked: number[] = [];
  const { txs } = ledger;
  const state = txs.state.bind(txs);
  txs.state = (row) => {
    asked.push(row);
    return state(row);
  };
  ledger.setTip(TIP + 1);
  t.same(asked, []);
  await wallet.change((batch) => ledger.syncTransaction(spend([paid], script), at(TIP + 1), batch));
  asked.length = 0;
  ledger.setTip(TIP + 2);
  t.same(asked, [], 'conflicted payments are not checked again');
  ledger.setTip(TIP);
  t.ok(asked.length > 0, 'a disconnected block is checked');
});
