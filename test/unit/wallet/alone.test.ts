// Exclusive work of a wallet: it yields to other work, but no call, block, lock or shutdown sees a part of its result.
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
import { connected, TestBlock } from '../../framework/chain-client.js';
import { descriptorContext } from '../../framework/descriptor-context.js';
import { createMemoryWallet, crypto, TIP } from '../../framework/memory-wallet.js';
import { turnsDuring } from '../../framework/turns.js';
import { allRows, encrypt, ranged, rowsOf, run } from '../../framework/wallet-calls.js';

const { importmulti, getaddressinfo, getbalance, getbalances, walletlock } = WALLET_RUNS;
const context = descriptorContext('master', 'regtest');
const imported = [{ success: true }];

/** The scripts that `ranged` stands for. */
function scriptsOf(count: number): Uint8Array[] {
  const parsed = parseDescriptor(ranged([0, 1]).desc, context, { requireChecksum: true });
  if ('error' in parsed) throw new Error(parsed.error);
  return Array.from({ length: count }, (_, i) => parsed.descriptors[0].scripts(i, {})![0]);
}
const paymentTo = (script: Uint8Array) => {
  const input = { prevHash: new Uint8Array(32).fill(1), prevIndex: 0, scriptSig: new Uint8Array(0), sequence: 0xffffffff };
  return parseTx(buildTx({ version: 2, inputs: [input], outputs: [{ script, value: 7000 }], locktime: 0 }), crypto);
};

t.test('importmulti of a long range yields to other work and is seen as a whole', async (t) => {
  const { wallet } = await createMemoryWallet();
  await encrypt(wallet);
  const scripts = scriptsOf(2000);
  const sample = scripts.filter((_, i) => i % 50 === 0);
  const watched = (): number => sample.filter((script) => wallet.isMine(script) === OWNERSHIP.WATCH).length;
  const address = (script: Uint8Array) => encodeAddress(script, context.params, crypto);
  const [first, last] = [address(scripts[0]), address(scripts.at(-1)!)];
  const payment = paymentTo(scripts[1234]);
  const parts = new Set<number>();
  const answers: Promise<unknown>[] = [];
  const turns = await turnsDuring(
    async () => t.same(await run(wallet, importmulti, [ranged([0, 1999])], { rescan: false }), imported),
    () => {
      for (const one of [first, last]) answers.push(run(wallet, getaddressinfo, one));
      answers.push(wallet.change(() => watched()));
      answers.push(run(wallet, walletlock));
      wallet.pushEvent({ kind: 'entered', tx: payment });
      void wallet.applyPendingEvents();
      wallet.lock();
    },
    () => {
      if (!wallet.access.isExclusive) return false;
      parts.add(watched());
      t.notOk(wallet.vault.locked, 'not while it is at work');
      return true;
    },
  );
  t.ok(turns > 10, `${turns} turns`);
  t.ok(
    [...parts].some((count) => count > 0 && count < sample.length),
    'the wallet contains a part of the import while it is at work',
  );
  t.notOk(wallet.access.isExclusive);
  t.ok(wallet.vault.locked, 'then it is locked');
  t.ok(wallet.ledger.txs.find(payment.txid) >= 0, 'and follows the chain');
  const [one, other, seen] = (await Promise.all(answers)) as { text: string }[];
  for (const { text } of [one, other]) t.match(JSON.parse(text), { iswatchonly: true, labels: ['a range'] });
  t.equal(seen, sample.length, 'a change waits for the whole import');
});

t.test('writes nothing when a wallet is closed in the middle of an import', async (t) => {
  class Lasting extends MemoryStore {
    override async close(): Promise<void> {}
  }
  const { wallet } = await createMemoryWallet({ store: new Lasting() });
  const before = await rowsOf(wallet);
  const scripts = scriptsOf(2000).filter((_, i) => i % 50 === 0);
  let closed: Promise<void> | undefined;
  let part = 0;
  await t.rejects(
    turnsDuring(
      () => run(wallet, importmulti, [ranged([0, 1999])], { rescan: false }),
      () => {},
      () => {
        part = scripts.filter((script) => wallet.isMine(script) === OWNERSHIP.WATCH).length;
        if (part > 0) closed ??= wallet.close();
        return false;
      },
    ),
    { code: -18 },
  );
  await closed;
  t.ok(part > 0 && part < scripts.length, `${part} scripts`);
  t.same(await rowsOf(wallet), before, 'nothing was written');
});

t.test('getbalances of many coins yields and answers for the moment at which it began', async (t) => {
  const { wallet, address, receive, enter } = await createMemoryWallet({ avoidReuse: true, wallet: { keypool: 100 } });
  const scripts: Uint8Array[] = [];
  for (let i = 0; i < 300; i++) scripts.push(await address('bech32'));
  const outputs = [...scripts, ...scripts].map((script) => ({ script, value: 1000 }));
  const first = await receive(outputs, TIP - 5);
  for (let i = 0; i < 9; i++) await receive(outputs, TIP - i);
  const all = 10 * outputs.length * 1000;
  // A payment from the first address: its other 19 coins are of an address that was used.
  const input = { prevHash: first.txid, prevIndex: 0, scriptSig: new Uint8Array(0), sequence: 0xffffffff };
  const spend = parseTx(buildTx({ version: 2, inputs: [input], outputs: [{ script: new Uint8Array(1), value: 1 }], locktime: 0 }), crypto);
  const sats = async (method: Run<WalletContext, never>, ...params: unknown[]): Promise<Record<string, number>> => {
    const { result } = JSON.parse(`{"result":${encodeJson((await run(wallet, method, ...params)) as JsonResult)}}`);
    const flat = typeof result === 'number' ? { balance: result } : result.mine;
    return Object.fromEntries(Object.entries(flat).map(([name, amount]) => [name, Math.round(Number(amount) * 1e8)]));
  };
  const before = { trusted: all, untrusted_pending: 0, immature: 0, used: 0 };
  const after = { ...before, trusted: all - 20 * 1000, used: 19 * 1000 };
  const later: Promise<unknown>[] = [];
  const turns = await turnsDuring(
    async () => t.same(await sats(getbalances), before, 'of the moment it began'),
    () => {
      later.push(enter(spend), sats(getbalances));
    },
    () => wallet.access.isExclusive,
  );
  t.ok(turns > 5, `${turns} turns`);
  t.same((await Promise.all(later))[1], after, 'a call that waited');
  t.same(await sats(getbalance), { balance: after.trusted });
  t.same(await sats(getbalance, '*', 0, false, false), { balance: all - 1000 }, 'used ones too');
  // The spent one had six confirmations.
  for (const depth of [1, 2, 6, 9, 10]) {
    const blocks = [...new Array(9).keys()].filter((i) => i + 1 >= depth).length + (6 >= depth ? 1 : 0);
    const gone = 6 >= depth ? 1 : 0;
    t.same(
      await sats(getbalance, '*', depth, false, false),
      { balance: (blocks * outputs.length - gone) * 1000 },
      `${depth} confirmations`,
    );
  }
  const tip = wallet.tip!;
  const node = new TestBlock(new Uint8Array(32).fill(7), tip as TestBlock, tip.height + 1, tip.time);
  let received: unknown;
  await turnsDuring(
    async () => {
      received = await run(wallet, getbalances);
    },
    () => wallet.pushEvent(connected(node, [])),
    () => wallet.access.isExclusive,
  );
  t.match(received, { lastprocessedblock: { height: tip.height } }, 'the block that they are of');
  await wallet.applyPendingEvents();
  t.match(await run(wallet, getbalances), { lastprocessedblock: { height: node.height } });
  const closing = turnsDuring(
    () => sats(getbalances),
    () => wallet.close(),
    () => wallet.access.isExclusive,
  );
  await t.rejects(closing, { code: -18 });
});

/** A store that keeps what a process that died after any of its batches would have left. */
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
  await t.rejects(
    wallet.changeExclusively(async () => {}),
    { code: -18 },
  );
});

t.test('unlocking during exclusive work cancels a lock that waits for its end', async (t) => {
  const { wallet } = await createMemoryWallet();
  const key = (): Uint8Array => new Uint8Array(32).fill(7);
  wallet.unlock(key(), 60);
  await wallet.access.runExclusive(async () => wallet.lock());
  t.ok(wallet.vault.locked, 'the lock took effect after the exclusive work');
  wallet.unlock(key(), 60);
  await wallet.access.runExclusive(async () => {
    wallet.lock();
    wallet.unlock(key(), 60);
  });
  t.notOk(wallet.vault.locked, 'the second unlocking counts');
  await wallet.close();
});

t.test('passes the abort signal of the client to a call that holds a wallet', async (t) => {
  const { wallet } = await createMemoryWallet();
  const gone = new AbortController();
  // Like those of the node's executor: the signal is made when it is first read.
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
