// A transaction that is received with several witnesses: the record keeps the witness that Core's CWalletTx chooses.
// hex and wtxid belong to the same version, also after a reload.
import t from 'tap';
import { compareBytes } from '../../../src/consensus/bytes/hex.js';
import { buildTx } from '../../../src/consensus/tx/build-tx.js';
import { parseTx, type TxView } from '../../../src/consensus/tx/tx-view.js';
import { COMPATS } from '../../../src/policy/compat.js';
import { gettransaction } from '../../../src/rpc/methods/wallet/gettransaction.js';
import { listtransactions } from '../../../src/rpc/methods/wallet/listtransactions.js';
import { encodeJson } from '../../../src/rpc/wire/json-write.js';
import { MemoryStore } from '../../../src/storage/memory-store.js';
import { TX_STATE, type TxPlace, UNCONFIRMED_PLACE } from '../../../src/wallet/coins/tx-table.js';
import { loadWallet } from '../../../src/wallet/manage/load-wallet.js';
import { WALLET_PREFIX } from '../../../src/wallet/storage/layout.js';
import type { Wallet } from '../../../src/wallet/wallet.js';
import { clientOf } from '../../framework/chain-client.js';
import { hex } from '../../framework/hex.js';
import { createMemoryWallet, crypto, TIP } from '../../framework/memory-wallet.js';
import { runMethod } from '../../framework/run-method.js';
import { allRows, contextOf } from '../../framework/wallet-calls.js';

const BLOCK: TxPlace = {
  state: TX_STATE.CONFIRMED,
  height: TIP,
  blockHash: new Uint8Array(32).fill(3),
  blockTime: 1_600_000_000,
  position: 1,
};

/**
 * Makes one payment in two versions, A and B, whose witnesses have these sizes. If both have the same weight, A has the
 * lower hash.
 */
function versionsOf(script: Uint8Array, sizes: readonly [a: number, b: number]): { A: TxView; B: TxView } {
  const versions = sizes.map((size, i) => {
    const input = { prevHash: new Uint8Array(32).fill(9), prevIndex: 0, scriptSig: new Uint8Array(0), sequence: 1 };
    const witness = size < 0 ? [] : [new Uint8Array(size).fill(i)];
    return parseTx(buildTx({ version: 2, inputs: [{ ...input, witness }], outputs: [{ script, value: 700 }], locktime: 0 }), crypto);
  });
  const [A, B] = sizes[0] === sizes[1] ? versions.sort((a, b) => compareBytes(a.wtxid, b.wtxid)) : versions;
  return { A, B };
}

/**
 * Returns the replies about the payment, with wtxids replaced by the names of the versions. The part of gettransaction
 * also shows which version's hex it returned.
 */
async function received(wallet: Wallet, named: Readonly<Record<string, TxView>>): Promise<string> {
  const answers = { relatives: async (txids: readonly Uint8Array[]) => txids.map(() => null) };
  const ctx = { ...contextOf(wallet), compat: COMPATS['31'], client: clientOf({ tip: wallet.tip! }, {}, answers) };
  const names = new Map(
    Object.entries(named).flatMap(([name, tx]) => [tx.wtxid.slice().reverse(), tx.bytes].map((key) => [hex(key), name])),
  );
  const call = { user: '', path: '/' };
  const parsed = async (result: unknown): Promise<unknown> => JSON.parse(encodeJson((await result) as never));
  type Received = { wtxid: string; alternate_wtxids: string[]; hex: string };
  const [txid] = Object.values(named).map((tx) => hex(tx.txid.slice().reverse()));
  const one = (await parsed(runMethod(gettransaction, ctx, [txid], call))) as Received;
  const [listed] = (await parsed(runMethod(listtransactions, ctx, [], call))) as Received[];
  const text = ({ wtxid, alternate_wtxids }: Received): string =>
    `${names.get(wtxid)}/${alternate_wtxids.map((id) => names.get(id)).join()}`;
  t.equal(text(listed), text(one), 'listtransactions shows the same version');
  return `${text(one)}/${names.get(one.hex)}`;
}

/**
 * Each row has the sizes of A and B, and the expected replies after each step: A in the mempool, B in a block, the
 * block disconnected, B in the mempool, A in a block.
 */
const CASES = [
  [[10, 20], true, ['A//A', 'B/A/B', 'A/B/A', 'A/B/A', 'A/B/A', 'A/B/A']],
  [[20, 10], true, ['A//A', 'B/A/B', 'B/A/B', 'B/A/B', 'A/B/A', 'B/A/B']],
  [[10, 10], true, ['A//A', 'B/A/B', 'A/B/A', 'A/B/A', 'A/B/A', 'A/B/A']],
  [[-1, 10], true, ['A//A', 'B/A/B', 'B/A/B', 'B/A/B', 'A/B/A', 'B/A/B']],
  [[10, 20], false, ['A//A', 'A/B/A', 'A/B/A', 'A/B/A', 'A/B/A', 'A/B/A']],
  [[20, 10], false, ['A//A', 'A/B/A', 'A/B/A', 'A/B/A', 'A/B/A', 'A/B/A']],
  [[-1, 10], false, ['A//A', 'B/A/B', 'B/A/B', 'B/A/B', 'B/A/B', 'B/A/B']],
] as const;

for (const [sizes, laterRecords, expected] of CASES) {
  for (const restarts of [false, true]) {
    t.test(`chooses between witnesses of ${sizes} bytes, later: ${laterRecords}, restarts: ${restarts}`, async (t) => {
      const made = await createMemoryWallet({ wallet: { laterRecords } });
      let { wallet } = made;
      const named = versionsOf(await made.address('bech32'), sizes);
      const { A, B } = named;
      const found: string[] = [];
      for (const [tx, place] of [
        [A, UNCONFIRMED_PLACE] as const,
        [B, BLOCK] as const,
        [B, UNCONFIRMED_PLACE] as const,
        [B, UNCONFIRMED_PLACE] as const,
        [A, BLOCK] as const,
        [A, UNCONFIRMED_PLACE] as const,
      ]) {
        await wallet.change((batch) => wallet.ledger.syncTransaction(tx, place, batch));
        if (restarts) {
          t.equal(await received(wallet, named), expected[found.length], 'before the restart');
          wallet = await again(wallet, made);
        }
        found.push(await received(wallet, named));
      }
      t.same(found, expected);
    });
  }
}

type Made = Awaited<ReturnType<typeof createMemoryWallet>>;

/** The wallet loaded again from its rows. */
async function again(from: Wallet, { surroundings }: Made, without = -1): Promise<Wallet> {
  const store = new MemoryStore();
  await store.batch((await allRows(from)).filter(([key]) => key[0] !== without).map(([key, value]) => ({ type: 'put', key, value })));
  const { wallet } = await loadWallet(surroundings, { name: 'w', folder: '' }, store);
  wallet.position.moveTo(from.tip!);
  wallet.ledger.setTip(TIP);
  wallet.ledger.classifyAllCoins();
  return wallet;
}

t.test('a wallet of an earlier version keeps its witness version through a scan', async (t) => {
  const made = await createMemoryWallet();
  const named = versionsOf(await made.address('bech32'), [20, 10]);
  const { A, B } = named;
  await made.wallet.change((batch) => made.wallet.ledger.syncTransaction(A, UNCONFIRMED_PLACE, batch));
  await made.wallet.change((batch) => made.wallet.ledger.syncTransaction(B, BLOCK, batch));
  const wallet = await again(made.wallet, made, WALLET_PREFIX.version);
  t.equal(await received(wallet, named), 'A//A', 'it stored only one version');
  await wallet.change((batch) => wallet.ledger.syncTransaction(B, BLOCK, batch));
  t.equal(await received(wallet, named), 'A//A', 'a scan changes nothing');
  await wallet.change((batch) => wallet.ledger.syncTransaction(B, UNCONFIRMED_PLACE, batch));
  t.equal(await received(wallet, named), 'B//B', 'the version of the disconnected block replaces it');
});

t.test('removes all witness versions together with a transaction', async (t) => {
  const { wallet, address } = await createMemoryWallet();
  const { A, B } = versionsOf(await address('bech32'), [10, 20]);
  const left = async (): Promise<number> => (await allRows(wallet)).filter(([key]) => key[0] === WALLET_PREFIX.version).length;
  for (const tx of [A, B, A]) await wallet.change((batch) => wallet.ledger.syncTransaction(tx, UNCONFIRMED_PLACE, batch));
  t.equal(await left(), 2);
  await wallet.change((batch) => wallet.ledger.removeTransaction(A, batch));
  t.equal(await left(), 0);
  await wallet.change((batch) => wallet.ledger.syncTransaction(B, UNCONFIRMED_PLACE, batch));
  t.equal(await received(wallet, { A, B }), 'B//B');
});
