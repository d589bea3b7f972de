// Tests that the wallets' client of the node behaves the same for a node on this thread and over a link, where messages
// wait in a port until they are received. One test runs the node on its own thread.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { MessageChannel, Worker } from 'node:worker_threads';
import t from 'tap';
import { createNativeCrypto } from '../../../src/crypto/native/index.js';
import { SIGN_MESSAGE_VERSION, type SignJob } from '../../../src/jobs/sign.js';
import { ListenerGuard } from '../../../src/lib/listener-guard.js';
import { silentLogger } from '../../../src/log/logger.js';
import { NodeClientServer } from '../../../src/node/node-client-server.js';
import { CLIENT_COUNTER, type ClientFacts, LinkedNodeClient } from '../../../src/wallet/linked-node-client.js';
import type { NodeClient, NodeEvent } from '../../../src/wallet/node-client.js';
import { createNode, type GrowingNode } from '../../framework/growing-node.js';
import { createMemoryWallet } from '../../framework/memory-wallet.js';
import { until } from '../../framework/until.js';
import { run } from '../../framework/wallet-calls.js';
import { managerIn, PLAIN_WALLET } from '../../framework/wallet-manager.js';

const hashes = createNativeCrypto();

interface Pair {
  readonly node: GrowingNode;
  readonly client: NodeClient;
  readonly close: () => void;
}

const freshCounters = (): Int32Array => new Int32Array(new SharedArrayBuffer(4 * CLIENT_COUNTER.COUNT));

function linked(mostUntakenKb?: number): Pair {
  const node = createNode();
  const { port1, port2 } = new MessageChannel();
  const counters = freshCounters();
  const server = new NodeClientServer(node.client, port1, counters, new ListenerGuard(silentLogger), mostUntakenKb);
  const client = new LinkedNodeClient({ facts: server.facts, port: port2, counters, hashes });
  return { node, client, close: () => port1.close() };
}
function inline(): Pair {
  const node = createNode();
  return { node, client: node.client, close: () => {} };
}

/** Describes an event in one line. */
const received = (event: NodeEvent): string => {
  switch (event.kind) {
    case 'connected':
      return `+${event.node.height} ${event.block.txs.length}`;
    case 'disconnected':
      return `-${event.node.height} ${event.before.height}`;
    case 'entered':
    case 'left':
      return `${event.kind} ${event.tx.outputValue(0)}`;
    case 'pool':
      return `pool ${event.txs.map(({ tx }) => tx.outputValue(0)).join(',')}`;
    default:
      return event.kind;
  }
};

t.test('posts nothing to a thread that has ended, and releases its prune guard', async (t) => {
  const node = createNode();
  const { port1, port2 } = new MessageChannel();
  const counters = freshCounters();
  const server = new NodeClientServer(node.client, port1, counters, new ListenerGuard(silentLogger));
  const client = new LinkedNodeClient({ facts: server.facts, port: port2, counters, hashes });
  await client.listen(() => {});
  client.setPruneGuard(5);
  await until('blocks are kept', () => node.keptFrom === 5);
  node.connect();
  node.enter();
  const posted = Atomics.load(counters, CLIENT_COUNTER.POSTED);
  const closed = new Promise((resolve) => port1.once('close', resolve));
  port2.close();
  await closed;
  await new Promise((resolve) => setImmediate(resolve));
  node.connect();
  node.enter();
  t.equal(Atomics.load(counters, CLIENT_COUNTER.POSTED), posted);
  t.equal(node.keptFrom, Number.POSITIVE_INFINITY);
});

t.test('retries events that could not be posted, in order and before answers', async (t) => {
  const node = createNode();
  const { port1, port2 } = new MessageChannel();
  const counters = freshCounters();
  const guard = new ListenerGuard(silentLogger);
  const server = new NodeClientServer(node.client, port1, counters, guard);
  const client = new LinkedNodeClient({ facts: server.facts, port: port2, counters, hashes });
  t.teardown(() => port1.close());
  const events: string[] = [];
  await client.listen((event) => events.push(received(event)));
  const { postMessage } = port1;
  let failures = 2;
  port1.postMessage = function (this: typeof port1, ...args: Parameters<typeof postMessage>) {
    if (failures-- > 0) throw new RangeError('Array buffer allocation failed');
    return postMessage.apply(this, args);
  } as typeof postMessage;
  node.connect();
  node.disconnect();
  t.equal(guard.failures.get('wallets'), 2);
  node.connect();
  node.enter();
  await client.stored();
  t.same(events, ['+1 1', '-1 0', '+1 1', 'entered 1']);
  // No further event arrives after the failure, so a timer must trigger the next attempt.
  failures = 1;
  node.connect();
  await until('the last block', () => events.length === 5);
  t.equal(events[4], '+2 1');
});

for (const [name, create] of [
  ['on the same thread', inline],
  ['over a link', linked],
] as const) {
  t.test(`a node client ${name}`, async (t) => {
    t.test('shares the memory of signing jobs with the other thread', async (t) => {
      const { client, close } = create();
      t.equal(client.constants.signers, 3);
      const slab = new SharedArrayBuffer(4);
      const part = { slab, subject: slab, first: 0, end: 0 };
      const echo = (await client.sign({ version: SIGN_MESSAGE_VERSION, parts: [part] })) as unknown as SignJob;
      const [{ slab: seen }] = echo.parts;
      new Uint8Array(seen)[2] = 7;
      t.equal(new Uint8Array(slab)[2], 7);
      close();
    });

    t.test('delivers all events in order by the end of sync', async (t) => {
      const { node, client, close } = create();
      const events: string[] = [];
      node.connect();
      node.enter();
      const stop = await client.listen((event) => events.push(received(event)));
      t.equal(client.tip.height, 1, 'the client knows the tip without listening');
      node.connect();
      const tx = node.enter();
      node.leave(tx);
      node.connect();
      node.disconnect();
      client.sync();
      t.same(events, ['+2 1', 'entered 2', 'left 2', '+3 1', '-3 2'], 'in the order in which they happened');
      t.equal(client.tip.hashHex, node.tip.hashHex);
      stop();
      await client.stored();
      node.enter();
      node.connect();
      client.sync();
      t.equal(events.length, 5, 'a client that stopped listening receives no events');
      t.equal(client.tip.height, 3);
      close();
    });

    t.test('keeps delivering events to other listeners when one stops listening', async (t) => {
      const { node, client, close } = create();
      const events: string[] = [];
      const first = client.listen(() => {});
      const second = client.listen((event) => events.push(received(event)));
      (await first)();
      await second;
      await client.stored();
      node.connect();
      client.sync();
      t.same(events, ['+1 1']);
      close();
    });

    t.test('answers queries about blocks, branches, fees and scripts', async (t) => {
      const { node, client, close } = create();
      for (let i = 0; i < 30; i++) node.connect();
      const left = node.disconnect();
      client.sync();
      const [first, second] = await client.blocks(28, 5);
      t.same([first.height, second.height, (await client.blocks(28, 5)).length], [28, 29, 2]);
      t.same(first.prevHash, (await client.blocks(27, 1))[0].hash);
      t.same(await client.heights([first.hash, left.hash, new Uint8Array(32)]), [28, -1, -1]);
      t.equal((await client.block(left.hash))?.inChain, false);
      t.equal((await client.block(first.hash))?.inChain, true);
      t.equal(await client.block(new Uint8Array(32)), null);
      const apart = await client.fork(left.hash, client.tip.hash);
      t.same([apart?.block.height, apart?.shared.height], [30, 29]);
      const other = node.connect();
      t.equal((await client.fork(left.hash, other.hash))?.shared.height, 29, 'of two branches');
      node.disconnect();
      t.equal((await client.fork(other.hash, left.hash))?.shared.height, 29, 'independent of the best chain');
      t.equal((await client.fork(first.hash, left.hash))?.shared.height, 28, 'a block on the way to the other');
      t.equal(await client.fork(new Uint8Array(32), left.hash), null);
      t.equal((await client.ancestor(left.hash, 12))?.height, 12);
      t.equal((await client.firstBlockSince(client.genesis.time + 600 * 9 + 1))?.height, 10);
      t.equal(await client.firstBlockSince(Number.POSITIVE_INFINITY), null);
      const locator = await client.locator(first.hash);
      t.same([locator.subarray(0, 32), locator.subarray(-32)], [first.hash, client.genesis.hash]);
      t.equal((await client.readBlock(first.hash)).length > 80, true);
      await t.rejects(client.readBlock(new Uint8Array(32)), { message: 'the block is not stored', code: undefined });
      const damaged = { message: 'no file has the first block', code: 'STORE_NOT_FOUND' };
      await t.rejects(client.readBlock(client.genesis.hash), damaged, 'errors keep their codes');
      t.same(await client.stored(), { havePruned: false, historyMissing: false, lowest: 0 });
      t.equal(await client.hasBlocks(0, 29), true);
      const [found, none] = await client.scan([first.hash, new Uint8Array(32)], null);
      t.same([found?.length, none], [1, null]);
      t.same(await client.relatives([new Uint8Array(32)]), [null]);
      t.same(await client.estimate(6, true), { feeRate: 1234, reason: 'None' });
      t.same([await client.isReady(), await client.isInitialBlockDownload()], [true, false]);
      t.same(
        { ...client.constants, signers: 0 },
        { longestTarget: 1008, maxAncestors: 25, maxDescendants: 26, scanDepth: 0, hasFilters: false, signers: 0 },
      );
      t.equal(client.contains(first), true);
      while (node.tip.height >= first.height) node.disconnect();
      client.sync();
      t.equal(client.contains(first), false);
      close();
    });

    t.test('delivers the contents of the mempool in order with the other events', async (t) => {
      const { node, client, close } = create();
      const events: string[] = [];
      await client.listen((event) => events.push(received(event)));
      const tx = node.enter();
      node.enter();
      const reading = client.readMempool((event) => events.push(received(event)));
      await until('the mempool is read', () => node.poolReads > 0, 1);
      node.leave(tx);
      client.sync();
      await reading;
      t.same(events, ['entered 1', 'entered 2', 'pool 1,2', 'left 1']);
      close();
    });

    t.test('waits until transactions of disconnected blocks are back in the mempool', async (t) => {
      const { node, client, close } = create();
      node.connect();
      client.sync();
      t.equal(client.mempoolSettled(), undefined);
      node.disconnect();
      client.sync();
      let isSettled = false;
      const settling = client.mempoolSettled()!.then(() => {
        isSettled = true;
      });
      await new Promise((resolve) => setTimeout(resolve, 5));
      t.equal(isSettled, false);
      t.ok(client.mempoolSettled(), 'a second call waits as well');
      node.returning = false;
      await settling;
      t.equal(client.mempoolSettled(), undefined);
      close();
    });

    t.test('sets and removes the prune guard', async (t) => {
      const { node, client, close } = create();
      client.setPruneGuard(7);
      client.setPruneGuard(8);
      await client.stored();
      t.ok(node.keptFrom === 7 || node.keptFrom === 8, `${node.keptFrom}`);
      client.setPruneGuard(3);
      await client.stored();
      t.equal(node.keptFrom, 3);
      client.setPruneGuard(Number.POSITIVE_INFINITY);
      await client.stored();
      t.equal(node.keptFrom, Number.POSITIVE_INFINITY);
      close();
    });
  });
}

t.test('reads the mempool again when too many events were not received', async (t) => {
  const { node, client, close } = linked(2);
  const events: string[] = [];
  await client.listen((event) => events.push(received(event)));
  for (let i = 0; i < 10; i++) node.enter();
  client.sync();
  t.same(events, ['entered 1', 'entered 2', 'entered 3'], 'no more events than the limit');
  const settling = client.mempoolSettled();
  t.ok(settling, 'calls about coins wait');
  await settling;
  t.equal(events.at(-1), `pool ${Array.from({ length: 10 }, (_, i) => i + 1).join(',')}`);
  t.equal(client.mempoolSettled(), undefined);
  node.enter();
  client.sync();
  t.equal(events.at(-1), 'entered 11', 'and events follow again');
  close();
});

t.test('scans blocks later when too many were not received', async (t) => {
  const { node, client, close } = linked(1);
  const events: string[] = [];
  await client.listen((event) => events.push(received(event)));
  for (let i = 0; i < 8; i++) node.connect();
  client.sync();
  t.same(events, ['+1 1', '+2 1', '+3 1', '+4 1', '+5 1', 'jumped', 'jumped', 'jumped'], 'no more events than the limit');
  t.equal(client.tip.height, 8, 'the client knows the tip');
  await until('the end of it', () => events.includes('history'));
  node.connect();
  client.sync();
  t.same(events.slice(8), ['history', '+9 1'], 'and blocks follow again');
  close();
});

t.test('bounds blocks that were received but not applied yet', async (t) => {
  const { node, client, close } = linked(1);
  const events: string[] = [];
  let settle = (): void => {};
  const busy = new Promise<void>((resolve) => {
    settle = resolve;
  });
  await client.listen((event) => {
    events.push(received(event));
    return event.kind === 'connected' ? busy : undefined;
  });
  for (let i = 0; i < 8; i++) {
    node.connect();
    client.sync();
  }
  t.same(events, ['+1 1', '+2 1', '+3 1', '+4 1', '+5 1', 'jumped', 'jumped', 'jumped']);
  settle();
  await until('the end of it', () => events.includes('history'));
  close();
});

t.test('a wallet scans all blocks that were announced without their bytes', async (t) => {
  const { node, client, close } = linked(1);
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'adit-node-client-'));
  t.teardown(() => fs.rmSync(dir, { recursive: true, force: true }));
  const { surroundings } = await createMemoryWallet();
  const manager = managerIn({ dir, surroundings, tip: node.tip, deps: { client } });
  const { wallet } = await manager.createWallet({ ...PLAIN_WALLET, name: 'w', disablePrivateKeys: true });
  // Every block pays this script.
  await run(wallet, 'importaddress', '51', '', false);
  const tell = async (blocks: number): Promise<void> => {
    for (let i = 0; i < blocks; i++) node.connect();
    client.sync();
    await wallet.events.applyPending();
  };
  const found = (txs: number): Promise<void> => until(`${txs} transactions`, () => wallet.ledger.txs.size === txs);
  // While other work uses the wallet exclusively, no event is applied. Afterwards all of them are.
  let release = (): void => {};
  const held = wallet.access.runExclusive(
    () =>
      new Promise<void>((resolve) => {
        release = resolve;
      }),
  );
  for (let i = 0; i < 8; i++) {
    node.connect();
    client.sync();
  }
  release();
  await held;
  await wallet.events.applyPending();
  await found(8);
  await until('the end of the scan', () => wallet.scans.running === null);
  // Another scan has reserved the wallet. Blocks that are announced without their bytes during that time must be
  // scanned when it ends.
  wallet.scans.reserve(0);
  await tell(8);
  await until('the wallet has received all blocks', () => wallet.tip?.height === 16);
  await sleep(500);
  await wallet.change((batch) => wallet.scans.markRunning(null, batch));
  manager.scanner.endScan(wallet);
  await found(16);
  await manager.close();
  close();
});

t.test('keeps blocks over which the tip jumped until every wallet has scanned them', async (t) => {
  const { node, client, close } = linked(1_000);
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'adit-node-client-'));
  t.teardown(() => fs.rmSync(dir, { recursive: true, force: true }));
  const { surroundings } = await createMemoryWallet();
  const manager = managerIn({ dir, surroundings, tip: node.tip, deps: { client } });
  node.jump(2);
  t.equal(node.keptFrom, Number.POSITIVE_INFINITY, 'no wallet is loaded');
  const { wallet } = await manager.createWallet({ ...PLAIN_WALLET, name: 'w', disablePrivateKeys: true });
  await run(wallet, 'importaddress', '51', '', false);
  await until('no guard', () => node.keptFrom === Number.POSITIVE_INFINITY);
  // The scan of the skipped blocks waits for the end of another one.
  wallet.scans.reserve(0);
  node.jump(3);
  t.equal(node.keptFrom, 3, 'before the wallet knows of the jump');
  client.sync();
  await until('the wallet to know of the jump', () => wallet.tip?.height === 5);
  await client.stored();
  t.equal(node.keptFrom, 3);
  await wallet.change((batch) => wallet.scans.markRunning(null, batch));
  manager.scanner.endScan(wallet);
  await until('3 transactions', () => wallet.ledger.txs.size === 3);
  await until('the end of the guard', () => node.keptFrom === Number.POSITIVE_INFINITY);
  await manager.close();
  close();
});

t.test('sync delivers everything that the node thread acknowledged before', async (t) => {
  const blocks = 3000;
  const acknowledged = new Int32Array(new SharedArrayBuffer(12));
  const counters = freshCounters();
  const { port1, port2 } = new MessageChannel();
  const file = new URL('./node-client-thread.js', import.meta.url);
  const worker = new Worker(file, { workerData: { port: port1, counters, acknowledged, blocks }, transferList: [port1] });
  const message = (): Promise<unknown> => new Promise((resolve) => worker.once('message', resolve));
  const facts = (await message()) as ClientFacts;
  const client = new LinkedNodeClient({ facts, port: port2, counters, hashes });
  let [height, entered] = [0, 0];
  await client.listen((event) => {
    if (event.kind === 'connected') {
      if (event.node.height !== height + 1) t.fail(`block ${event.node.height} after ${height}`);
      height = event.node.height;
    }
    if (event.kind === 'entered') entered = event.tx.outputValue(0);
  });
  const done = message();
  worker.postMessage('go');
  let calls = 0;
  let late = 0;
  while (height < blocks) {
    const [block, tx] = [Atomics.load(acknowledged, 0), Atomics.load(acknowledged, 1)];
    client.sync();
    Atomics.add(acknowledged, 2, 1);
    if (height < block || entered < tx || client.tip.height < block) late++;
    if (++calls % 50 === 0) await new Promise((resolve) => setImmediate(resolve));
    if (calls % 500 === 0) {
      const before = client.tip.height;
      const answer = await client.blocks(before, 1);
      if (answer[0]?.height !== before || client.tip.height < before) t.fail('a query was answered from before the sync');
    }
  }
  t.equal(late, 0, `${calls} calls`);
  t.ok(calls > 100);
  await done;
  await worker.terminate();
  port2.close();
});
