// Tests failures of wallets while the node runs. Each failed wallet is closed without another write and loaded again
// from its folder. If it fails again soon, it stays unloaded. Other wallets and the node are not affected.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import t, { type Test } from 'tap';
import type { WalletManager } from '../../../src/wallet/manage/wallet-manager.js';
import { MempoolTx } from '../../../src/wallet/node-client.js';
import type { Wallet } from '../../../src/wallet/wallet.js';
import { createNode, type GrowingNode } from '../../framework/growing-node.js';
import { hex } from '../../framework/hex.js';
import { createMemoryWallet, crypto } from '../../framework/memory-wallet.js';
import { until } from '../../framework/until.js';
import { run } from '../../framework/wallet-calls.js';
import { managerIn, PLAIN_WALLET } from '../../framework/wallet-manager.js';

const AMBIGUOUS = 'which one?';
/** Every transaction of the simulated node pays this script. */
const SCRIPT = '51';

interface World {
  readonly node: GrowingNode;
  readonly manager: WalletManager;
  readonly errors: string[];
  /** Failures by the wallet's name. */
  readonly faults: string[];
  /** Wallets whose loading is complete. A wallet is in the manager's list somewhat earlier. */
  readonly loaded: WeakSet<Wallet>;
  /** Runs at the end of each loading. */
  onLoaded(wallet: Wallet): Promise<void>;
}

/** Makes a node with some history, and two wallets that have the same content. */
async function world(t: Test, names = ['failing', 'sound']): Promise<World> {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'adit-recovery-'));
  t.teardown(() => fs.rmSync(dir, { recursive: true, force: true }));
  const node = createNode();
  const { surroundings } = await createMemoryWallet();
  const errors: string[] = [];
  const faults: string[] = [];
  const loaded = new WeakSet<Wallet>();
  const here = { onLoaded: async (_: Wallet): Promise<void> => {} };
  const manager = managerIn({
    dir,
    surroundings: { ...surroundings, onFault: (_, { name }) => faults.push(name) },
    tip: node.tip,
    deps: {
      client: node.client,
      log: { info() {}, warn() {}, error: (line) => errors.push(line) },
      onLoaded: async (wallet) => {
        await here.onLoaded(wallet);
        loaded.add(wallet);
      },
    },
  });
  t.teardown(() => manager.close());
  for (const name of names) {
    const { wallet } = await manager.createWallet({ ...PLAIN_WALLET, name, disablePrivateKeys: true });
    await run(wallet, 'importaddress', SCRIPT, '', false);
  }
  for (let i = 0; i < 5; i++) node.connect();
  node.disconnect();
  node.returning = false;
  for (let i = 0; i < 3; i++) node.enter();
  for (const wallet of manager.all) await wallet.events.applyPending();
  return Object.assign(here, { node, manager, errors, faults, loaded });
}

const called = (wallet: Wallet, method: string, ...args: unknown[]): Promise<unknown> => run(wallet, method, ...args);

/** Returns the content of a wallet. */
async function stateOf(wallet: Wallet): Promise<unknown> {
  await wallet.events.applyPending();
  const { txs } = wallet.ledger;
  const records = [...txs.rowsOutsideChain()].map((row) => [
    hex(txs.txid(row)),
    txs.state(row),
    txs.height(row),
    hex(txs.blockHash(row)),
    txs.inMempool(row),
  ]);
  return {
    records: records.sort(),
    balances: await called(wallet, 'getbalances'),
    tip: wallet.tip?.hashHex,
    locator: hex(wallet.position.locator),
  };
}

/** Compares both wallets. A wallet that was loaded at the tip has no locator before the next block. */
async function sameAfterBlock(t: Test, { node, manager }: World, message = 'both know the same'): Promise<void> {
  node.connect();
  t.same(await stateOf(manager.get('failing')!), await stateOf(manager.get('sound')!), message);
}

/** Makes a method of an object throw once, before or after its work. */
function failOnce<T extends object>(at: T, member: keyof T, worksFirst: boolean): void {
  const work = at[member] as (...args: unknown[]) => unknown;
  const failing = function (this: T, ...args: unknown[]): unknown {
    Object.assign(at, { [member]: work });
    if (worksFirst) work.apply(at, args);
    throw new Error(`injected into ${String(member)}`);
  };
  Object.assign(at, { [member]: failing });
}

const reloaded = ({ manager, loaded }: World, former: Wallet): Promise<void> =>
  until(`${former.name} is loaded again`, () => {
    const wallet = manager.get(former.name);
    return wallet !== undefined && wallet !== former && loaded.has(wallet);
  });

const jump = ({ node }: World): void => {
  const { onTip } = node.client;
  node.client.onTip = (tip) => onTip.call(node.client, tip, { disconnected: [], connected: [] } as never);
  node.connect();
  node.client.onTip = onTip;
};

/** Each kind of event, and the methods that are called to apply it to a wallet. */
const EVENTS: readonly { kind: string; cause(here: World): void; inject(wallet: Wallet, worksFirst: boolean): void }[] = [
  { kind: 'connected', cause: ({ node }) => node.connect(), inject: ({ ledger }, first) => failOnce(ledger, 'setTip', first) },
  { kind: 'connected', cause: ({ node }) => node.connect(), inject: ({ ledger }, first) => failOnce(ledger, 'syncTransaction', first) },
  { kind: 'connected', cause: ({ node }) => node.connect(), inject: (wallet, first) => failOnce(wallet.position, 'writeLocator', first) },
  {
    kind: 'disconnected',
    cause: ({ node }) => node.disconnect(),
    inject: ({ ledger }, first) => failOnce(ledger, 'syncTransaction', first),
  },
  { kind: 'jumped', cause: jump, inject: ({ ledger }, first) => failOnce(ledger, 'setTip', first) },
  { kind: 'entered', cause: ({ node }) => node.enter(), inject: ({ ledger }, first) => failOnce(ledger, 'syncTransaction', first) },
  { kind: 'entered', cause: ({ node }) => node.enter(), inject: ({ ledger }, first) => failOnce(ledger, 'setInMempool', first) },
  {
    kind: 'left',
    cause: ({ node }) => node.leave([...node.client.pool()][0].tx),
    inject: ({ ledger }, first) => failOnce(ledger, 'setInMempool', first),
  },
  {
    kind: 'pool',
    cause: ({ node, manager }) => {
      const txs = node.client.pool().map(({ txid, bytes }) => new MempoolTx(txid, bytes, crypto));
      for (const wallet of manager.all) wallet.events.push({ kind: 'pool', txs });
    },
    inject: ({ ledger: { txs } }, first) => failOnce(txs, 'rowsOutsideChain', first),
  },
];

for (const { kind, cause, inject } of EVENTS) {
  for (const worksFirst of [false, true]) {
    t.test(`a wallet recovers from an exception ${worksFirst ? 'after' : 'before'} a step of the event "${kind}"`, async (t) => {
      const here = await world(t);
      const { node, manager, faults, errors } = here;
      const failing = manager.get('failing')!;
      failing.session.setPayFeeRate(1234);
      inject(failing, worksFirst);
      cause(here);
      // Further events after the one that fails.
      node.connect();
      node.enter();
      await failing.events.applyPending();
      t.same(faults, ['failing']);
      t.throws(() => manager.selectWallet('failing', AMBIGUOUS), { code: -4, message: /"failing" has failed and is being loaded again/ });
      t.throws(() => manager.selectWallet(null, AMBIGUOUS), { code: -19 }, 'a call without a name does not reach the other wallet');
      t.equal(manager.selectWallet('sound', AMBIGUOUS).name, 'sound');
      await reloaded(here, failing);
      node.client.onHistory();
      await manager.get('sound')!.events.applyPending();
      await until('scans are over', () => manager.all.every(({ scans }) => scans.running === null && scans.unseen === null));
      await sameAfterBlock(t, here, 'it has the same transactions as the other wallet');
      const again = manager.get('failing')!;
      t.equal(again.session.payFeeRate, 1234);
      t.same(errors, []);
      await manager.unloadWallet(again);
      await manager.loadWallet('failing');
      await sameAfterBlock(t, here, 'and has stored them');
    });
  }
}

t.test('a wallet recovers from a failed write with all acknowledged changes', async (t) => {
  const here = await world(t);
  const { manager, faults, errors } = here;
  const failing = manager.get('failing')!;
  await called(failing, 'importaddress', '52', 'acknowledged', false);
  const { store } = failing.storage;
  failing.storage.replaceStore(
    Object.create(store, {
      batch: { value: () => Promise.reject(new Error('disk full')) },
      close: { value: () => store.close() },
    }),
  );
  await t.rejects(called(failing, 'importaddress', '53', 'refused', false), { message: 'disk full' });
  t.same(faults, ['failing']);
  await reloaded(here, failing);
  const again = manager.get('failing')!;
  t.same([again.keys.isMine(Uint8Array.of(0x52)), again.keys.isMine(Uint8Array.of(0x53))].map(Boolean), [true, false]);
  await sameAfterBlock(t, here);
  t.same(errors, []);
});

/** Makes the loaded wallet fail at the next block. */
async function failNow({ node, manager }: World): Promise<Wallet> {
  const wallet = manager.get('failing')!;
  failOnce(wallet.ledger, 'setTip', false);
  node.connect();
  await wallet.events.applyPending();
  return wallet;
}

t.test('a wallet that fails again within a minute stays unloaded until it is loaded by a call', async (t) => {
  const here = await world(t);
  const { node, manager, errors } = here;
  await reloaded(here, await failNow(here));
  await failNow(here);
  await until('the wallet stays unloaded', () => errors.length > 0);
  const line =
    /^Wallet "failing" has failed and is not loaded any more: injected into setTip\. Load it with adit-cli loadwallet "failing"\./;
  t.match(errors, [line]);
  t.equal(errors.length, 1);
  t.throws(() => manager.selectWallet('failing', AMBIGUOUS), { code: -4, message: line });
  t.throws(() => manager.selectWallet(null, AMBIGUOUS), { code: -19 });
  node.connect();
  const sound = manager.selectWallet('sound', AMBIGUOUS);
  await sound.events.applyPending();
  t.equal(sound.tip?.hashHex, node.tip.hashHex, 'the other wallet follows');
  await manager.loadWallet('failing');
  await sameAfterBlock(t, here);
  t.equal(manager.selectWallet('failing', AMBIGUOUS).name, 'failing');
  await reloaded(here, await failNow(here));
  t.pass('and recovers as at first');
});

t.test('a wallet that fails again after a minute is loaded again', async (t) => {
  const { now } = performance;
  let ahead = 0;
  t.intercept(performance, 'now', { value: () => now.call(performance) + ahead, configurable: true });
  const here = await world(t);
  for (let i = 0; i < 3; i++) {
    await reloaded(here, await failNow(here));
    ahead += 60_001;
  }
  t.same(here.errors, []);
});

t.test('a wallet that fails while it is loaded again stays unloaded', async (t) => {
  const here = await world(t);
  const { manager, errors, node, faults } = here;
  here.onLoaded = async (wallet) => {
    failOnce(wallet.ledger, 'setTip', true);
    node.connect();
    await wallet.events.applyPending();
  };
  await failNow(here);
  await until('the wallet stays unloaded', () => errors.length > 0);
  t.match(errors, [/^Wallet "failing" has failed and is not loaded any more: injected into setTip/]);
  t.same(faults, ['failing', 'failing']);
  here.onLoaded = async () => {};
  await manager.loadWallet('failing');
  await sameAfterBlock(t, here);
});

t.test('calls without a name find a wallet whose loading is about to end', async (t) => {
  const here = await world(t, ['failing']);
  const { manager } = here;
  const failing = manager.get('failing')!;
  const selected: unknown[] = [];
  here.onLoaded = async () => {
    try {
      selected.push(manager.selectWallet(null, AMBIGUOUS));
    } catch (error) {
      selected.push(error);
    }
  };
  await failNow(here);
  await reloaded(here, failing);
  t.equal(selected[0], manager.get('failing'));
});

t.test('calls without a name report the failed wallet until unloadwallet dismisses it', async (t) => {
  const here = await world(t, ['failing']);
  const { manager, errors } = here;
  here.onLoaded = async () => {
    throw new Error('no');
  };
  await failNow(here);
  t.throws(() => manager.selectWallet(null, AMBIGUOUS), { code: -4, message: /is being loaded again/ });
  t.throws(() => manager.dismissFailed('failing'), { code: -4, message: /is being loaded again/ });
  await until('the wallet stays unloaded', () => errors.length > 0);
  t.throws(() => manager.selectWallet(null, AMBIGUOUS), { code: -4, message: /is not loaded any more: no\./ });
  t.equal(manager.dismissFailed('failing'), true);
  t.throws(() => manager.selectWallet(null, AMBIGUOUS), { code: -18, message: /^No wallet is loaded/ });
  t.equal(manager.dismissFailed('failing'), false);
});

t.test('stopping the node waits for a wallet that is being loaded again', async (t) => {
  const here = await world(t);
  const failing = await failNow(here);
  await here.manager.close();
  t.equal(here.manager.all.length, 0);
  t.ok(failing.closed);
  t.same(here.errors, []);
});
