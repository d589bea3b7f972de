// Notifications: topics and bodies of ZeroMQ, events of webhooks, commands. Lists replace the real outputs.
import t from 'tap';
import type { Chain } from '../../../src/chain/chain.js';
import { ListenerGuard } from '../../../src/lib/listener-guard.js';
import { silentLogger } from '../../../src/log/logger.js';
import { startNotifications } from '../../../src/node/notifications.js';
import { Hooks } from '../../../src/notify/hooks.js';
import { type ZmqTopic, zmqTopics } from '../../../src/notify/options.js';
import { Webhooks } from '../../../src/notify/webhooks.js';
import { ZmqPublisher } from '../../../src/notify/zmq-publisher.js';
import { hex } from '../../framework/hex.js';
import { type ModelNode, spend } from '../../framework/model-chain.js';
import { createPool, crypto, NO_POLICY } from '../../framework/pool-under-test.js';

/** Long enough for the least size of a transaction. */
const LONG = Uint8Array.of(28, ...new Uint8Array(28), 0x75, 0x51);
const shown = (hash: Uint8Array): string => hex(Buffer.from(hash).reverse());

async function begin(t: { teardown(end: () => unknown): void }) {
  const received: string[] = [];
  const replaced = [
    [ZmqPublisher.prototype, 'publish', (topic: ZmqTopic, body: Uint8Array) => received.push(`zmq ${topic} ${hex(body)}`)],
    [ZmqPublisher.prototype, 'wants', () => true],
    [Webhooks.prototype, 'send', (event: object) => received.push(`webhook ${JSON.stringify(event)}`)],
    [Hooks.prototype, 'run', (name: string, command: string, value = '') => received.push(`${name} ${command} ${value}`)],
  ] as const;
  for (const [owner, name, stand] of replaced) {
    const real = Object.getOwnPropertyDescriptor(owner, name) as PropertyDescriptor;
    Object.defineProperty(owner, name, { ...real, value: stand });
    t.teardown(() => Object.defineProperty(owner, name, real));
  }
  const open = ZmqPublisher.open;
  ZmqPublisher.open = async () => Object.create(ZmqPublisher.prototype, { list: { value: [] }, close: { value: () => {} } });
  t.teardown(() => {
    ZmqPublisher.open = open;
  });
  const setup = createPool({ policy: NO_POLICY });
  const view = {
    isInitialBlockDownload: () => false,
    get tip() {
      return setup.chain.tip;
    },
  };
  const chain = { view } as unknown as Chain;
  const zmq = zmqTopics.map((topic) => ({ topic, address: 'ipc:///nowhere', highWaterMark: 1 }));
  const config = { zmq, urls: ['http://x/'], block: ['b'], startup: ['s'], shutdown: [], alert: ['a %s', 'a2'] };
  const notifications = await startNotifications(config as never, {
    chain,
    mempool: setup.pool,
    log: silentLogger,
    guard: new ListenerGuard(silentLogger),
  });
  t.teardown(() => notifications.close());
  setup.pool.listen({
    added: (entry) => notifications.onEntered(entry),
    removed: (entry, reason) => notifications.onLeft(entry, reason),
    changed() {},
  });
  return { ...setup, told: received, notifications, take: () => received.splice(0) };
}

const le = (value: number): string => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes.toString('hex');
};

t.test('publishes R for transactions that leave the mempool, except for those in a block', async (t) => {
  const { chain, pool, take } = await begin(t);
  const coin = chain.fund(100_000);
  const first = spend(crypto, [coin], [{ value: 90_000, script: LONG }]);
  const second = spend(crypto, [coin], [{ value: 50_000, script: LONG }]);
  const before = pool.sequence;
  t.equal((await pool.accept(first)).reject, null);
  t.same(take(), [`zmq hashtx ${shown(first.txid)}`, `zmq rawtx ${hex(first.bytes)}`, `zmq sequence ${shown(first.txid)}41${le(before)}`]);
  t.equal((await pool.accept(second)).reject, null, 'it pays more');
  t.same(
    take().filter((line) => line.startsWith('zmq sequence')),
    [`zmq sequence ${shown(first.txid)}52${le(before + 1)}`, `zmq sequence ${shown(second.txid)}41${le(before + 2)}`],
  );
  chain.connect([second]);
  t.equal(pool.size, 0);
  t.same(take(), [], 'a block took it');
  const third = spend(crypto, [chain.fund(100_000)], [{ value: 9_000, script: LONG }]);
  await pool.accept(third);
  const now = pool.sequence;
  take();
  // A block with a rival of it.
  chain.connect([spend(crypto, [third.outpoint(0)], [{ value: 5_000, script: LONG }])]);
  t.same(take(), [`zmq sequence ${shown(third.txid)}52${le(now)}`], 'conflict');
});

t.test('publishes a reorganisation in the order of Core: disconnected blocks, returned transactions, new blocks', async (t) => {
  const { chain, pool, notifications, told, take } = await begin(t);
  chain.onTip((tip, { connected, ...rest }) => {
    const joined = connected.map(({ node, block }) => ({ node, block: { ...block, bytes: new Uint8Array(80) } }));
    notifications.onTip(tip as never, { ...rest, connected: joined } as never);
  });
  const payment = spend(crypto, [chain.fund(100_000)], [{ value: 90_000, script: LONG }]);
  const old = chain.connect([payment]);
  take();
  const sequence = pool.sequence;
  chain.reorg(1, [[], []]);
  const after = chain.connect([]);
  t.notOk(
    told.some((line) => line.includes('hashblock')),
    'no new block before the transaction is back',
  );
  await pool.settled();
  const second = after.prev as ModelNode;
  const first = second.prev as ModelNode;
  t.same(
    take().filter((line) => /^zmq (sequence|hashblock)/.test(line)),
    [
      `zmq sequence ${shown(old.hash)}44`,
      `zmq sequence ${shown(payment.txid)}41${le(sequence)}`,
      `zmq sequence ${shown(first.hash)}43`,
      `zmq sequence ${shown(second.hash)}43`,
      `zmq hashblock ${shown(second.hash)}`,
      `zmq sequence ${shown(after.hash)}43`,
      `zmq hashblock ${shown(after.hash)}`,
    ],
  );
});

t.test('runs startupnotify and alertnotify commands and sends their webhooks', async (t) => {
  const { notifications, take, chain } = await begin(t);
  notifications.started();
  t.same(take(), ['startupnotify s ', `webhook {"event":"startup","hash":"${chain.tip.hashHex}","height":200}`]);
  notifications.alert("It's broken; rm -rf $HOME");
  t.same(take(), [
    "alertnotify a %s 'Its broken; rm -rf HOME'",
    "alertnotify a2 'Its broken; rm -rf HOME'",
    'webhook {"event":"alert","text":"It\'s broken; rm -rf $HOME"}',
  ]);
});
