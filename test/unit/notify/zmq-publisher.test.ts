// Publishing by ZeroMQ to real subscribers: bursts, failing sends, bounds, addresses.
import fs from 'node:fs';
import { networkInterfaces } from 'node:os';
import t from 'tap';
import { Publisher, Subscriber } from 'zeromq';
import { ListenerGuard } from '../../../src/lib/listener-guard.js';
import { silentLogger } from '../../../src/log/logger.js';
import { type ZmqTopic, zmqTopics } from '../../../src/notify/options.js';
import { ZmqPublisher } from '../../../src/notify/zmq-publisher.js';
import { freePort } from '../../framework/ports.js';
import { until } from '../../framework/until.js';

/** Length of a body that only begin() publishes. */
const MARKER_BYTES = 2;

type Test = { teardown(end: () => unknown): void };

/** Opens a publisher of topics that share an address, with a subscriber of all of them. */
async function open(t: Test, topics: readonly ZmqTopic[], { address = '', highWaterMark = undefined as number | undefined } = {}) {
  const at = address === '' ? `tcp://127.0.0.1:${await freePort()}` : address;
  const lines: string[] = [];
  const guard = new ListenerGuard({ error: (line) => lines.push(line) });
  const endpoints = topics.map((topic) => ({ topic, address: at, highWaterMark }));
  const publisher = await ZmqPublisher.open(endpoints, silentLogger, guard);
  t.teardown(() => publisher.close());
  const socket = new Subscriber({ ipv6: at.includes('[') });
  t.teardown(() => socket.close());
  socket.connect(at);
  socket.subscribe();
  const counters = new Map<string, number[]>(topics.map((topic) => [topic, []]));
  const marked = new Set<string>();
  let count = 0;
  void (async () => {
    for await (const [topic, body, counter] of socket) {
      if (body?.length === MARKER_BYTES) marked.add(String(topic));
      counters.get(String(topic))?.push((counter as Buffer).readUInt32LE());
      count++;
    }
  })();
  // A subscription takes a moment.
  await until('a subscription', () => {
    publisher.publish(topics[0] as ZmqTopic, new Uint8Array(1));
    return count > 0;
  });
  /** Waits for what was published up to now, then forgets it. @returns the counter of the topic's last message */
  const begin = async (): Promise<ReadonlyMap<string, number>> => {
    for (const topic of topics) publisher.publish(topic, new Uint8Array(MARKER_BYTES));
    await until('a marker of each topic', () => marked.size === topics.length);
    const starts = new Map([...counters].map(([topic, list]) => [topic, list.at(-1) as number]));
    for (const list of counters.values()) list.length = 0;
    return starts;
  };
  return { publisher, guard, lines, counters, begin, failures: () => guard.failures.get('zmq') };
}

/** So many numbers after another one. */
const after = (start: number | undefined, length: number): number[] => Array.from({ length }, (_, i) => (start as number) + 1 + i);

t.test('delivers two topics of 300 blocks that are published in one task, as in a download', async (t) => {
  const { publisher, counters, begin, failures } = await open(t, ['hashblock', 'rawblock']);
  const starts = await begin();
  for (let i = 0; i < 300; i++) {
    publisher.publish('hashblock', new Uint8Array(32));
    publisher.publish('rawblock', new Uint8Array(300));
  }
  await until('300 blocks', () => counters.get('rawblock')?.length === 300);
  for (const topic of ['hashblock', 'rawblock']) t.same(counters.get(topic), after(starts.get(topic), 300), topic);
  t.equal(failures(), 0);
});

const ofBlocks = zmqTopics.filter((topic) => topic !== 'share');

t.test('delivers all topics of a block of 10,000 transactions at one address', async (t) => {
  const { publisher, counters, begin, failures } = await open(t, ofBlocks);
  const starts = await begin();
  for (let i = 0; i < 10_000; i++) {
    publisher.publish('hashtx', new Uint8Array(32));
    publisher.publish('rawtx', new Uint8Array(400));
  }
  publisher.publish('sequence', new Uint8Array(33));
  publisher.publish('hashblock', new Uint8Array(32));
  publisher.publish('rawblock', new Uint8Array(4_000_000));
  await until('the block', () => counters.get('rawblock')?.length === 1);
  t.same(
    ofBlocks.map((topic) => counters.get(topic)?.length),
    [1, 10_000, 1, 10_000, 1],
  );
  for (const topic of ['hashtx', 'rawtx']) t.same(counters.get(topic), after(starts.get(topic), 10_000), topic);
  t.equal(failures(), 0);
});

t.test('counts and logs a send that throws or is rejected, and shows the gap to subscribers', async (t) => {
  const { publisher, counters, begin, failures, lines } = await open(t, ['rawtx']);
  const start = (await begin()).get('rawtx') as number;
  const { send } = Publisher.prototype;
  const replace = (value: unknown) => Object.defineProperty(Publisher.prototype, 'send', { value, configurable: true });
  t.teardown(() => replace(send));
  let sends = 0;
  replace(function (this: Publisher, message: Uint8Array[]) {
    sends++;
    if (sends === 2) throw Object.assign(new Error('Socket is busy writing'), { code: 'EBUSY' });
    if (sends === 3) return Promise.reject(new Error('the system has no memory'));
    return send.call(this, message);
  });
  for (let i = 0; i < 4; i++) publisher.publish('rawtx', new Uint8Array(10));
  await until('the last message', () => counters.get('rawtx')?.at(-1) === start + 4);
  t.same(counters.get('rawtx'), [start + 1, start + 4]);
  t.equal(failures(), 2);
  t.match(lines[0], /The listener "zmq" failed.*Socket is busy writing/);
});

t.test('drops and counts messages beyond 128 MB that wait in the process', async (t) => {
  const { publisher, counters, begin, failures } = await open(t, ['rawblock']);
  const start = (await begin()).get('rawblock') as number;
  const block = new Uint8Array(4 << 20);
  for (let i = 0; i < 40; i++) publisher.publish('rawblock', block);
  t.equal(failures(), 9, '31 blocks of 4 MiB and their overhead fit');
  await until('the blocks that fit', () => counters.get('rawblock')?.length === 31);
  publisher.publish('rawblock', new Uint8Array(1));
  await until('a message after them', () => counters.get('rawblock')?.length === 32);
  t.same(counters.get('rawblock'), [...after(start, 31), start + 41], 'subscribers see the gap');
});

t.test('uses the high-water mark of the operator unchanged', async (t) => {
  const { publisher } = await open(t, ['hashtx'], { highWaterMark: 700 });
  t.equal(publisher.list[0]?.highWaterMark, 700);
  const usual = await open(t, ['hashtx']);
  t.equal(usual.publisher.list[0]?.highWaterMark, 1000, "shows Core's otherwise");
});

const hasIpv6 = Object.values(networkInterfaces()).some((list) => list?.some(({ address }) => address === '::1'));
t.test('binds an IPv6 address', { skip: hasIpv6 ? false : 'needs IPv6 on loopback' }, async (t) => {
  const { publisher, counters, begin } = await open(t, ['hashblock'], { address: `tcp://[::1]:${await freePort()}` });
  const start = (await begin()).get('hashblock');
  publisher.publish('hashblock', new Uint8Array(32));
  await until('a block', () => counters.get('hashblock')?.length === 1);
  t.same(counters.get('hashblock'), after(start, 1));
});

t.test('names an address that cannot be bound, and leaves no socket open', async (t) => {
  const taken = `tcp://127.0.0.1:${await freePort()}`;
  const { publisher } = await open(t, ['hashblock'], { address: taken });
  const guard = new ListenerGuard({ error: () => {} });
  const free = `tcp://127.0.0.1:${await freePort()}`;
  const at = (address: string) => ({ topic: 'rawtx' as const, address, highWaterMark: undefined });
  await t.rejects(ZmqPublisher.open([at(free), at(taken)], silentLogger, guard), {
    message: new RegExp(`^Unable to bind to ${taken} for -zmqpubrawtx: `),
  });
  await t.rejects(ZmqPublisher.open([at('foo')], silentLogger, guard), { message: /^Unable to bind to foo for -zmqpubrawtx: / });
  publisher.close();
  await until('the first address is free again', async () => {
    try {
      (await ZmqPublisher.open([at(free)], silentLogger, guard)).close();
      return true;
    } catch {
      return false;
    }
  });
});

t.test('binds the file of a Unix socket under both of its names', async (t) => {
  const dir = fs.mkdtempSync('/tmp/adit-zmq-');
  t.teardown(() => fs.rmSync(dir, { recursive: true, force: true }));
  const guard = new ListenerGuard({ error: () => {} });
  for (const [address, shown] of [
    [`unix:${dir}/a`, `ipc://${dir}/a`],
    [`ipc://${dir}/b`, `ipc://${dir}/b`],
  ] as const) {
    const publisher = await ZmqPublisher.open([{ topic: 'rawtx', address, highWaterMark: undefined }], silentLogger, guard);
    t.equal(publisher.list[0]!.address, shown);
    publisher.close();
  }
});
