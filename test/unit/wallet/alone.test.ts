// Tests work that uses a wallet exclusively: it lets other work run in between, but no call, block, lock or shutdown
// sees a part of its result.
import t from 'tap';
import { encodeAddress } from '../../../src/address/address.js';
import { parseDescriptor } from '../../../src/address/descriptor/parse.js';
import { buildTx } from '../../../src/consensus/tx/build-tx.js';
import { parseTx } from '../../../src/consensus/tx/tx-view.js';
import type { WalletContext } from '../../../src/rpc/context/wallet.js';
import { Parameters } from '../../../src/rpc/declare/parameters.js';
import type { CallInfo, Run } from '../../../src/rpc/dispatch.js';
import { WALLET_RUNS } from '../../../src/rpc/wallet/runs.js';
import { holding } from '../../../src/rpc/wallet/select.js';
import { encodeJson } from '../../../src/rpc/wire/json-write.js';
import type { JsonResult } from '../../../src/rpc/wire/values.js';
import { MemoryStore } from '../../../src/storage/memory-store.js';
import type { BatchOp, BatchOptions } from '../../../src/storage/store.js';
import { OWNERSHIP } from '../../../src/wallet/keys/ownership.js';
import { loadWallet } from '../../../src/wallet/manage/load-wallet.js';
import type { Wallet } from '../../../src/wallet/wallet.js';
import { descriptorContext } from '../../framework/descriptor-context.js';
import { createMemoryWallet, crypto, TIP } from '../../framework/memory-wallet.js';
import { turnsDuring } from '../../framework/turns.js';
import { allRows, encrypt, ranged, rowsOf, run } from '../../framework/wallet-calls.js';

const { importmulti, getaddressinfo, getbalance, getbalances } = WALLET_RUNS;
const context = descriptorContext('master', 'regtest');
const imported = [{ success: true }];

/** Returns the scripts that the import request `ranged` describes. */
function scriptsOf(count: number): Uint8Array[] {
  const parsed = parseDescriptor(ranged([0, 1]).desc, context, { requireChecksum: true });
  if ('error' in parsed) throw new Error(parsed.error);
  return Array.from({ length: count }, (_, i) => parsed.descriptors[0].scripts(i, {})![0]);
}
const paymentTo = (script: Uint8Array) => {
  const input = { prevHash: new Uint8Array(32).fill(1), prevIndex: 0, scriptSig: new Uint8Array(0), sequence: 0xffffffff };
  return parseTx(buildTx({ version: 2, inputs: [input], outputs: [{ script, value: 7000 }], locktime: 0 }), crypto);
};

t.test('importmulti of a long range takes effect in one step', async (t) => {
  const { wallet } = await createMemoryWallet();
  await encrypt(wallet);
  const scripts = scriptsOf(2000);
  const sample = scripts.filter((_, i) => i % 50 === 0);
  const watched = (): number => sample.filter((script) => wallet.keys.isMine(script) === OWNERSHIP.WATCH).length;
  const address = (script: Uint8Array) => encodeAddress(script, context.params, crypto);
  const [first, last] = [address(scripts[0]), address(scripts.at(-1)!)];
  const payment = paymentTo(scripts[1234]);
  const parts = new Set<number>();
  await turnsDuring(
    async () => t.same(await run(wallet, importmulti, [ranged([0, 1999])], { rescan: false }), imported),
    undefined,
    () => {
      parts.add(watched());
      return true;
    },
  );
  t.same(
    [...parts].filter((count) => count > 0 && count < sample.length),
    [],
    'no tick sees a part of the import',
  );
  wallet.events.push({ kind: 'entered', tx: payment });
  await wallet.events.applyPending();
  t.ok(wallet.ledger.txs.find(payment.txid) >= 0);
  for (const one of [first, last]) {
    const { text } = (await run(wallet, getaddressinfo, one)) as { text: string };
    t.match(JSON.parse(text), { iswatchonly: true, labels: ['a range'] });
  }
});

t.test('getbalances of many coins leaves out coins of used addresses', async (t) => {
  const { wallet, address, receive, enter } = await createMemoryWallet({ avoidReuse: true, wallet: { keypool: 100 } });
  const scripts: Uint8Array[] = [];
  for (let i = 0; i < 300; i++) scripts.push(await address('bech32'));
  const outputs = [...scripts, ...scripts].map((script) => ({ script, value: 1000 }));
  const first = await receive(outputs, TIP - 5);
  for (let i = 0; i < 9; i++) await receive(outputs, TIP - i);
  const all = 10 * outputs.length * 1000;
  // This payment spends one coin of the first address. The other 19 coins of that address then belong to a used
  // address.
  const input = { prevHash: first.txid, prevIndex: 0, scriptSig: new Uint8Array(0), sequence: 0xffffffff };
  const spend = parseTx(buildTx({ version: 2, inputs: [input], outputs: [{ script: new Uint8Array(1), value: 1 }], locktime: 0 }), crypto);
  const sats = async (method: Run<WalletContext, never>, ...params: unknown[]): Promise<Record<string, number>> => {
    const { result } = JSON.parse(`{"result":${encodeJson((await run(wallet, method, ...params)) as JsonResult)}}`);
    const flat = typeof result === 'number' ? { balance: result } : result.mine;
    return Object.fromEntries(Object.entries(flat).map(([name, amount]) => [name, Math.round(Number(amount) * 1e8)]));
  };
  const before = { trusted: all, untrusted_pending: 0, immature: 0, used: 0 };
  const after = { ...before, trusted: all - 20 * 1000, used: 19 * 1000 };
  t.same(await sats(getbalances), before);
  await enter(spend);
  t.same(await sats(getbalances), after);
  t.same(await sats(getbalance), { balance: after.trusted });
  t.same(await sats(getbalance, '*', 0, false, false), { balance: all - 1000 }, 'used ones too');
  // The spent coin had six confirmations.
  for (const depth of [1, 2, 6, 9, 10]) {
    const blocks = [...new Array(9).keys()].filter((i) => i + 1 >= depth).length + (6 >= depth ? 1 : 0);
    const gone = 6 >= depth ? 1 : 0;
    t.same(
      await sats(getbalance, '*', depth, false, false),
      { balance: (blocks * outputs.length - gone) * 1000 },
      `${depth} confirmations`,
    );
  }
});

/** A store that saves a copy of its rows after every batch: the state after a crash at that moment. */
class Dying extends MemoryStore {
  readonly left: MemoryStore[] = [];
  watching = false;
  override async batch(ops: readonly BatchOp[], options?: BatchOptions): Promise<void> {
    await super.batch(ops, options);
    if (this.watching) this.left.push(await copyOf(this, new MemoryStore()));
  }
}
async function copyOf<T extends MemoryStore>(from: MemoryStore, to: T): Promise<T> {
  const rows: BatchOp[] = [];
  for await (const [key, value] of from.iterate()) rows.push({ type: 'put', key, value });
  await to.batch(rows);
  return to;
}

t.test('keeps all or nothing of a large import when the process dies at any moment', async (t) => {
  const store = new Dying();
  const { wallet, surroundings } = await createMemoryWallet({ store });
  await allRows(wallet);
  const none = (await rowsOf(wallet)).join();
  store.watching = true;
  t.same(await run(wallet, importmulti, [ranged([0, 899])], { rescan: false }), imported);
  const all = (await rowsOf(wallet)).join();
  const load = async (from: MemoryStore): Promise<Wallet> =>
    (await loadWallet(surroundings, { name: 'w', folder: '/nowhere/w' }, from)).wallet;
  const found: string[] = [];
  for (const from of store.left) {
    const rows = (await rowsOf(await load(from))).join();
    found.push(rows === none ? 'none' : 'all');
    if (rows !== none && rows !== all) t.fail(`a part of it after ${found.length} batches`);
  }
  t.equal(found.at(-1), 'all');
});

t.test('runs exclusive work of a wallet one after the other, without changes in between', async (t) => {
  const { wallet } = await createMemoryWallet();
  const order: string[] = [];
  const work = (name: string) =>
    wallet.access.runExclusive(async () => {
      order.push(`${name} begins`);
      for (let i = 0; i < 5; i++) await new Promise((resolve) => setImmediate(resolve));
      order.push(`${name} ends`);
    });
  await Promise.all([work('a'), work('b'), wallet.change(() => order.push('change'))]);
  for (const name of ['a', 'b']) t.equal(order.indexOf(`${name} ends`), order.indexOf(`${name} begins`) + 1, order.join(', '));
  await t.rejects(async () => wallet.access.runExclusive(() => Promise.reject(new Error('no'))), { message: 'no' });
  t.equal(wallet.access.isExclusive, false);
  await wallet.close();
});

t.test('unlocking during exclusive work cancels a lock that waits for its end', async (t) => {
  const { wallet } = await createMemoryWallet();
  const key = (): Uint8Array => new Uint8Array(32).fill(7);
  wallet.encryption.unlock(key(), 60);
  await wallet.access.runExclusive(async () => wallet.encryption.lock());
  t.ok(wallet.vault.locked, 'the lock took effect after the exclusive work');
  wallet.encryption.unlock(key(), 60);
  await wallet.access.runExclusive(async () => {
    wallet.encryption.lock();
    wallet.encryption.unlock(key(), 60);
  });
  t.notOk(wallet.vault.locked, 'the second unlocking counts');
  await wallet.close();
});

t.test('passes the abort signal of the client to a call that holds a wallet', async (t) => {
  const { wallet } = await createMemoryWallet();
  const gone = new AbortController();
  // The signal is a getter, as in the calls of the node's executor, which make the signal when it is first read.
  class Call implements CallInfo {
    readonly user = 'somebody';
    readonly path = '/';
    get signal(): AbortSignal {
      return gone.signal;
    }
  }
  const seen: boolean[] = [];
  const look: Run<WalletContext> = (_, _ctx, { user, signal }) => {
    seen.push(user === 'somebody' && signal?.aborted === true);
    return null;
  };
  const ctx = { wallets: { selectWallet: () => wallet }, client: { sync() {} } } as unknown as WalletContext;
  holding(look, 'wallet')(new Parameters([]), ctx, new Call());
  gone.abort();
  holding(look, 'wallet')(new Parameters([]), ctx, new Call());
  t.same(seen, [false, true]);
  await wallet.close();
});
