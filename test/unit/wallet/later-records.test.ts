// Tests records of wallets whose content changed in Core's versions 23 to 25: disconnected coinbases, addresses that a
// payment skips, times of scan results.
import t from 'tap';
import { buildTx } from '../../../src/consensus/tx/build-tx.js';
import { parseTx, type TxView } from '../../../src/consensus/tx/tx-view.js';
import { COMPATS } from '../../../src/policy/compat.js';
import { getbalances } from '../../../src/rpc/methods/wallet/getbalances.js';
import { TX_STATE, type TxPlace, UNCONFIRMED_PLACE } from '../../../src/wallet/coins/tx-table.js';
import { OWNERSHIP } from '../../../src/wallet/keys/ownership.js';
import type { Wallet } from '../../../src/wallet/wallet.js';
import { scannedPlace } from '../../../src/wallet/wallet-state.js';
import { clientOf } from '../../framework/chain-client.js';
import { createMemoryWallet, crypto, TIP } from '../../framework/memory-wallet.js';
import { runMethod } from '../../framework/run-method.js';
import { contextOf } from '../../framework/wallet-calls.js';

const at = (height: number, position = 0): TxPlace => ({
  state: TX_STATE.CONFIRMED,
  height,
  blockHash: crypto.sha256(Uint8Array.of(height & 255)),
  blockTime: 1_600_000_000,
  position,
});
const txOf = (prevHash: Uint8Array, script: Uint8Array, value: number): TxView => {
  const isCoinbase = prevHash.every((byte) => byte === 0);
  const input = { prevHash, prevIndex: isCoinbase ? 0xffffffff : 0, scriptSig: Uint8Array.of(1, 1), sequence: 0xffffffff };
  return parseTx(buildTx({ version: 2, inputs: [input], outputs: [{ script, value }], locktime: 0 }), crypto);
};

/** Member "mine" of the reply of getbalances in Core 31, in satoshis. */
async function mineOf(wallet: Wallet): Promise<Record<string, number>> {
  const ctx = { ...contextOf(wallet), compat: COMPATS['31'] };
  const reply = (await runMethod(getbalances, ctx, [], { user: '', path: '/' })) as { mine: Record<string, { sats: number }> };
  return Object.fromEntries(Object.entries(reply.mine).map(([name, { sats }]) => [name, sats]));
}

for (const laterRecords of [false, true]) {
  t.test(`${laterRecords ? 'abandons' : 'does not abandon'} a disconnected coinbase and its descendants`, async (t) => {
    const { wallet, address, receive, enter } = await createMemoryWallet({ wallet: { laterRecords } });
    const { ledger } = wallet;
    const script = await address('bech32');
    const coinbase = txOf(new Uint8Array(32), script, 5000);
    const other = await receive([{ script, value: 700 }], 900);
    await wallet.change((batch) => ledger.syncTransaction(coinbase, at(TIP - 200), batch));
    const payment = parseTx(
      buildTx({
        version: 2,
        inputs: [coinbase, other].map(({ txid }) => ({ prevHash: txid, prevIndex: 0, scriptSig: new Uint8Array(0), sequence: 0 })),
        outputs: [{ script, value: 5600 }],
        locktime: 0,
      }),
      crypto,
    );
    const grandchild = txOf(payment.txid, script, 5500);
    await enter(payment);
    await enter(grandchild);
    const state = (tx: TxView): number => ledger.txs.state(ledger.txs.find(tx.txid));
    const trusted = (): number => ledger.sheet.balances({ ownership: OWNERSHIP.SPENDABLE }).trusted;
    t.equal(trusted(), 5500);
    await wallet.change((batch) => ledger.syncTransaction(coinbase, UNCONFIRMED_PLACE, batch));
    for (const tx of [payment, grandchild]) ledger.setInMempool(tx, false);
    const expected = laterRecords ? TX_STATE.ABANDONED : TX_STATE.UNCONFIRMED;
    t.same([coinbase, payment, grandchild].map(state), [expected, expected, expected]);
    t.equal(trusted(), laterRecords ? 700 : 0, 'the other coin that it spent');
    await wallet.change((batch) => ledger.syncTransaction(coinbase, at(TIP - 200), batch));
    await enter(payment);
    t.same([coinbase, payment].map(state), [TX_STATE.CONFIRMED, TX_STATE.UNCONFIRMED], 'they are valid again');
    t.equal(trusted(), laterRecords ? 5600 : 0, 'what comes after it is abandoned, or waits still');
  });

  t.test(`${laterRecords ? 'labels' : 'does not label'} addresses that a payment to a later one skips`, async (t) => {
    const { wallet, address, receive } = await createMemoryWallet({ descriptors: true, wallet: { laterRecords } });
    const keys = wallet.descriptors!;
    const given = await address('bech32');
    const tracked = keys.active('bech32', false)!;
    const scripts = [1, 2, 3].map((index) => tracked.descriptor.scripts(index, { cache: tracked.cache })![0]);
    await wallet.change((batch) => wallet.book.set(scripts[0], 'mine', 'receive', batch));
    await receive([{ script: scripts[1], value: 1 }], 900);
    const [own, passed, ahead] = scripts.map((script) => wallet.book.label(script));
    t.same([own, passed, ahead], ['mine', laterRecords ? '' : undefined, undefined]);
    t.equal(wallet.book.label(given), undefined, 'an address that was given out gets no label');
    const change = keys.active('bech32', true)!;
    const [script] = change.descriptor.scripts(2, { cache: change.cache })!;
    await receive([{ script, value: 1 }], 900);
    t.equal(wallet.book.label(script), undefined, 'change has none');
  });
}

t.test('dates a transaction found by a scan as each release does', async (t) => {
  const { wallet, address } = await createMemoryWallet();
  const { ledger } = wallet;
  const node = { ...wallet.tip!, maxTime: 1_500_000_000 };
  const script = await address('bech32');
  for (const laterRecords of [false, true]) {
    const tx = txOf(new Uint8Array(32).fill(laterRecords ? 1 : 2), script, 1);
    const place = scannedPlace({ ...wallet.parts.options, laterRecords })(node, 1);
    await wallet.change((batch) => ledger.syncTransaction(tx, place, batch));
    t.equal(ledger.txs.smartTime(ledger.txs.find(tx.txid)), laterRecords ? 1_500_000_000 : 1_600_000_000);
  }
});

t.test('counts a coin once that is spent by transactions outside the mempool', async (t) => {
  const { wallet, address, receive } = await createMemoryWallet({ descriptors: true });
  const { ledger } = wallet;
  const script = await address('bech32');
  const coin = await receive([{ script, value: 5000 }], 900);
  const outside = Uint8Array.of(0, 20, ...new Uint8Array(20).fill(9));
  const mine = async (): Promise<unknown> => {
    const { trusted, nonmempool } = await mineOf(wallet);
    return [trusted, nonmempool];
  };
  await wallet.change((batch) => ledger.syncTransaction(txOf(coin.txid, outside, 4000), UNCONFIRMED_PLACE, batch));
  t.same(await mine(), [5000, -5000]);
  const rival = txOf(coin.txid, outside, 3000);
  await wallet.change((batch) => ledger.syncTransaction(rival, UNCONFIRMED_PLACE, batch));
  t.same(await mine(), [5000, -5000], 'once, however many spend it');
  ledger.setInMempool(rival, true);
  t.same(await mine(), [0, 0], 'what is in the mempool spends it');
});

t.test('counts a coin as unspent while its only spender conflicts with the mempool', async (t) => {
  const { wallet, address, receive, enter } = await createMemoryWallet({ descriptors: true });
  const { ledger } = wallet;
  const outside = Uint8Array.of(0, 20, ...new Uint8Array(20).fill(9));
  const [kept, shared] = [
    await receive([{ script: await address('bech32'), value: 5000 }], 900),
    await receive([{ script: await address('bech32'), value: 700 }], 900),
  ];
  const spend = (inputs: readonly TxView[], value: number): TxView => {
    const all = inputs.map(({ txid }) => ({ prevHash: txid, prevIndex: 0, scriptSig: new Uint8Array(0), sequence: 0 }));
    return parseTx(buildTx({ version: 2, inputs: all, outputs: [{ script: outside, value }], locktime: 0 }), crypto);
  };
  const trusted = async (): Promise<unknown> => (await mineOf(wallet)).trusted;
  const payment = spend([kept, shared], 5500);
  await enter(payment);
  t.equal(await trusted(), 0);
  const rival = spend([shared], 600);
  ledger.setInMempool(payment, false);
  await enter(rival);
  t.equal(await trusted(), 5000, 'the payment was replaced');
  const child = spend([payment], 5400);
  await wallet.change((batch) => ledger.putRecord(child, UNCONFIRMED_PLACE, batch));
  ledger.setInMempool(rival, false);
  t.same(await mineOf(wallet), { trusted: 5700, untrusted_pending: 0, immature: 0, nonmempool: -5700 }, 'the rival left the mempool');
  await enter(rival);
  t.equal(await trusted(), 5000);
  ledger.poolConflicts.clear();
  t.equal((await mineOf(wallet)).nonmempool, -5000, 'the whole mempool is about to enter again');
});

t.test('keeps unconfirmed coins in their balance when they are spent outside the mempool', async (t) => {
  const { wallet, address, receive, enter } = await createMemoryWallet({ descriptors: true });
  const outside = Uint8Array.of(0, 20, ...new Uint8Array(20).fill(9));
  const wait = (tx: TxView): Promise<unknown> => wallet.change((batch) => wallet.ledger.syncTransaction(tx, UNCONFIRMED_PLACE, batch));
  const coin = await receive([{ script: await address('bech32'), value: 5000 }], 900);
  const change = txOf(coin.txid, await address('bech32'), 4000);
  await enter(change);
  const gift = await receive([{ script: await address('bech32'), value: 700 }], 0);
  const before = { trusted: 4000, untrusted_pending: 700, immature: 0 };
  t.same(await mineOf(wallet), { ...before, nonmempool: 0 });
  const waiting = txOf(change.txid, await address('bech32'), 3000);
  await wait(waiting);
  t.same(await mineOf(wallet), { ...before, nonmempool: -4000 }, 'own change');
  await wait(txOf(gift.txid, outside, 600));
  t.same(await mineOf(wallet), { ...before, nonmempool: -4700 }, 'a coin of others');
  await wait(txOf(waiting.txid, outside, 2000));
  t.same(await mineOf(wallet), { ...before, nonmempool: -4700 }, 'a coin that is in neither');
});

t.test('counts an immature coinbase once that is spent outside the mempool', async (t) => {
  const { wallet, address } = await createMemoryWallet({ descriptors: true });
  const coinbase = txOf(new Uint8Array(32), await address('bech32'), 5000);
  const payment = txOf(coinbase.txid, Uint8Array.of(0, 20, ...new Uint8Array(20).fill(9)), 4000);
  await wallet.change((batch) => wallet.ledger.syncTransaction(coinbase, at(TIP - 50), batch));
  await wallet.change((batch) => wallet.ledger.syncTransaction(payment, UNCONFIRMED_PLACE, batch));
  t.same(await mineOf(wallet), { trusted: 0, untrusted_pending: 0, immature: 5000, nonmempool: -5000 });
});

t.test('counts coins of reused addresses as used when they are spent outside the mempool', async (t) => {
  const { wallet, address, receive } = await createMemoryWallet({ descriptors: true, avoidReuse: true });
  const outside = Uint8Array.of(0, 20, ...new Uint8Array(20).fill(9));
  const coin = await receive([{ script: await address('bech32'), value: 5000 }], 900);
  await receive([{ script: await address('bech32'), value: 30 }], 900);
  await wallet.change((batch) => wallet.ledger.syncTransaction(txOf(coin.txid, outside, 4000), UNCONFIRMED_PLACE, batch));
  t.same(await mineOf(wallet), { trusted: 30, untrusted_pending: 0, immature: 0, nonmempool: -5000, used: 5000 });
});

t.test('reads the mempool with parents before children', async (t) => {
  const { wallet, address } = await createMemoryWallet();
  const outside = Uint8Array.of(0, 20, ...new Uint8Array(20).fill(9));
  const parent = txOf(new Uint8Array(32).fill(7), await address('bech32'), 900);
  const child = txOf(parent.txid, outside, 800);
  const grandchild = txOf(child.txid, outside, 700);
  const entries = [grandchild, child, parent].map(({ txid, bytes }, i) => ({ txid, bytes, ancestorCount: 3 - i }));
  await clientOf({ tip: wallet.tip! }, { entries: () => entries }).readMempool((event) => wallet.events.push(event));
  await wallet.events.applyPending();
  const { txs } = wallet.ledger;
  t.same(
    [parent, child, grandchild].map(({ txid }) => txs.has(txid)),
    [true, true, false],
    'a child is found by the coin that it spends',
  );
});

t.test('ends the conflict between children of a version 3 transaction when a block has confirmed their parent', async (t) => {
  const { wallet, address, receive, enter } = await createMemoryWallet({ descriptors: true, wallet: { laterRecords: true } });
  const { ledger } = wallet;
  const script = await address('bech32');
  const coin = await receive([{ script, value: 5000 }], 900);
  const spend = (prev: TxView, prevIndex: number, values: readonly number[]): TxView => {
    const input = { prevHash: prev.txid, prevIndex, scriptSig: new Uint8Array(0), sequence: 0 };
    return parseTx(buildTx({ version: 3, inputs: [input], outputs: values.map((value) => ({ script, value })), locktime: 0 }), crypto);
  };
  const parent = spend(coin, 0, [2000, 2000]);
  const [waiting, sibling] = [spend(parent, 0, [1900]), spend(parent, 1, [1800])];
  await enter(parent);
  await wallet.change((batch) => ledger.syncTransaction(waiting, UNCONFIRMED_PLACE, batch));
  await enter(sibling);
  t.equal(ledger.isSpent(waiting.outpoint(0)), false, 'the mempool has another child of the parent');
  for (const [position, tx] of [parent, sibling].entries())
    await wallet.change((batch) => ledger.syncTransaction(tx, at(901, position), batch));
  for (const tx of [parent, sibling]) ledger.setInMempool(tx, false);
  t.equal(ledger.isSpent(waiting.outpoint(0)), true, 'the waiting child may confirm');
});
