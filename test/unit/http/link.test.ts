import { MessageChannel, Worker } from 'node:worker_threads';
import t from 'tap';
import { FrontCounters } from '../../../src/http/link/front-counters.js';
import { FrontLink } from '../../../src/http/link/front-link.js';
import type { FrontNews } from '../../../src/http/link/messages.js';
import { MethodCounts } from '../../../src/http/link/method-counts.js';
import { NodeLinks } from '../../../src/http/link/node-link.js';
import { SharedState, STATE_FLAG } from '../../../src/http/link/shared-state.js';
import { SlabReader, SlabRing } from '../../../src/http/link/slab-ring.js';

t.test('shared state', async (t) => {
  const state = new SharedState();
  const other = new SharedState(state.buffer);
  t.equal(state.raiseEpoch(), 1);
  t.equal(other.epoch, 1);
  state.mempoolCounter = 0xffff_fffe;
  t.equal(other.mempoolCounter, 4294967294);
  state.set(STATE_FLAG.TEST_CHAIN, true);
  state.set(STATE_FLAG.NETWORK, true);
  state.set(STATE_FLAG.TEST_CHAIN, false);
  t.same([other.has(STATE_FLAG.TEST_CHAIN), other.has(STATE_FLAG.NETWORK)], [false, true]);
  t.ok(Math.abs(other.nowSeconds() - Date.now() / 1000) < 2);
  state.mockSeconds = 1_300_000_000;
  t.equal(other.nowSeconds(), 1300000000);
  state.startedMs = 5_000_000_000_000;
  t.equal(other.startedMs, 5e12);
});

t.test('a slab is rewritten only when nobody reads it', async (t) => {
  const ring = new SlabRing(2);
  const reader = new SlabReader(ring.control, ring.slabs);
  ring.onGrow = (slab) => reader.update(slab);
  const exhausted: number[] = [];
  ring.onExhausted = (index) => exhausted.push(index);
  const first = ring.take(10)!;
  t.equal(first.buffer.byteLength, 65536);
  t.equal(reader.lease(first), null, 'not while it is written');
  ring.publish(first);
  t.equal(reader.lease(first), first.buffer);
  const second = ring.take(100_000)!;
  t.equal(second.buffer.byteLength, 131072);
  t.equal(ring.publish(second).use, ring.publish(second).use, 'twice is once');
  t.equal(reader.lease(first), first.buffer, 'held by its reader after the publisher let go');
  t.equal(ring.take(1), null);
  t.same(exhausted, [first.index]);
  reader.release(first);
  t.equal(ring.take(1), null);
  const waiting = ring.takeWhenFree(1);
  reader.release(first);
  ring.readersGone();
  const third = await waiting;
  t.equal(third.index, first.index);
  t.equal(third.use, first.use + 1);
  t.equal(reader.lease(first), null, 'what was there is gone');
  ring.discard(third);
  const fourth = ring.take(70_000)!;
  ring.publish(fourth);
  t.equal(reader.lease(first), null, 'another use of the same slab');
  t.equal(reader.lease(fourth)?.byteLength, 131072, 'the larger slab became known');
  reader.release(fourth);
  t.same(ring.stats(), { slabs: 2, busy: 1, bytes: 262144, grown: 3, exhausted: 3 });
});

t.test('threads that lease while slabs are rewritten never see two templates in one', async (t) => {
  const ring = new SlabRing(4);
  const path = new URL('../../../src/http/link/slab-ring.js', import.meta.url).href;
  const source = `
    const { parentPort, workerData } = require('node:worker_threads');
    import(${JSON.stringify(path)}).then(({ SlabReader }) => {
      const reader = new SlabReader(workerData.control, workerData.slabs);
      const seen = { good: 0, gone: 0, torn: 0 };
      parentPort.on('message', (message) => {
        if (message.slab) return reader.update(message.slab);
        if (message.end) { parentPort.postMessage(seen); return parentPort.close(); }
        const buffer = reader.lease(message.ref);
        if (!buffer) { seen.gone++; return; }
        const words = new Int32Array(buffer, 0, message.words);
        let torn = false;
        for (let i = 0; i < words.length; i++) if (words[i] !== message.value) torn = true;
        reader.release(message.ref);
        if (torn) seen.torn++; else seen.good++;
      });
      parentPort.postMessage('up');
    });`;
  const readers = await Promise.all(
    [0, 1].map(async () => {
      const worker = new Worker(source, { eval: true, workerData: { control: ring.control, slabs: ring.slabs } });
      await new Promise((resolve) => worker.once('message', resolve));
      return worker;
    }),
  );
  ring.onGrow = (slab) => {
    for (const worker of readers) worker.postMessage({ slab });
  };
  for (let value = 1; value <= 2000; value++) {
    const words = 1000 + (value % 500) * 40;
    const slab = await ring.takeWhenFree(words * 4);
    new Int32Array(slab.buffer, 0, words).fill(value);
    const ref = ring.publish(slab);
    for (const worker of readers) worker.postMessage({ ref, words, value });
    if (value % 20 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  for (const worker of readers) {
    const done = new Promise<{ good: number; gone: number; torn: number }>((resolve) => worker.once('message', resolve));
    worker.postMessage({ end: true });
    const seen = await done;
    t.equal(seen.torn, 0);
    t.equal(seen.good + seen.gone, 2000);
    t.ok(seen.good > 0);
  }
  t.equal(ring.stats().busy, 1);
});

/** A front and a node thread in one, over real channels. */
function linked(execute: ConstructorParameters<typeof NodeLinks>[0]['execute'], bounds = { calls: 10, bytes: 1 << 20 }) {
  const main = new MessageChannel();
  const priority = new MessageChannel();
  const news: FrontNews[] = [];
  const faults: unknown[] = [];
  const node = new NodeLinks({
    execute,
    templates: { refresh: () => Promise.reject(new Error('none')) },
    publishTemplate: () => {},
    templateError: () => ({ code: -1, text: 'none' }),
    onNews: () => {},
    onFault: (_what, error) => faults.push(error),
  });
  node.add(0, { main: main.port1, priority: priority.port1 });
  const front = new FrontLink({ main: main.port2, priority: priority.port2 }, bounds, new FrontCounters(), (one) => news.push(one));
  const call = (text: string | Uint8Array, extra: { priority?: boolean; waits?: boolean } = {}) => {
    const body = typeof text === 'string' ? Buffer.from(text) : text;
    let id = 0;
    const reply = new Promise<{ status: number; text: string }>((resolve) => {
      id = front.call({ user: 'u', uri: '/', method: 'm', body, priority: false, waits: false, ...extra }, (status, bytes) =>
        resolve({ status, text: typeof bytes === 'string' ? bytes : Buffer.from(bytes).toString() }),
      );
    });
    return { id, reply };
  };
  const close = () => {
    front.close();
    node.remove(0);
  };
  return { node, front, call, news, faults, close };
}

t.test('calls over the link', async (t) => {
  const link = linked((body, _call, hooks) => {
    const text = Buffer.from(body).toString();
    if (text === 'throw') throw new Error('oops');
    if (text === 'reject') return Promise.reject(new Error('later'));
    hooks.onCall(text.slice(0, 4), 0.002, true);
    return { status: 200, body: text.startsWith('bytes') ? new Uint8Array(200_000).fill(0x61) : `<${text}>` };
  });
  t.teardown(link.close);
  t.same(await link.call('one é').reply, { status: 200, text: '<one é>' });
  const large = `${'x'.repeat(300_000)}é`;
  t.same(await link.call(large).reply, { status: 200, text: `<${large}>` });
  t.same(await link.call('bytes').reply, { status: 200, text: 'a'.repeat(200_000) });
  t.same(await link.call(large, { priority: true }).reply, { status: 200, text: `<${large}>` });
  t.same(await link.call('submit', { priority: true }).reply, { status: 200, text: '<submit>' });
  t.same(await link.call('throw').reply, { status: 500, text: 'Unhandled request' });
  t.same(await link.call('reject').reply, { status: 500, text: 'Unhandled request' });
  t.equal(link.faults.length, 2);
  t.equal(link.front.callsUnderWay, 0);
  const counts = new MethodCounts();
  counts.add('uptime', 0.00005, false);
  counts.add('uptime', 200, true);
  link.front.report(counts);
  t.equal(counts.byMethod.size, 0);
  await link.call('last').reply;
  t.same(link.node.stats().methods.get('uptime'), {
    calls: 2,
    errors: 1,
    seconds: 200.00005,
    buckets: [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1],
  });
  t.equal(link.node.stats().methods.get('last')?.calls, 1);
  t.equal(link.node.stats().prioritised, 2);
});

t.test('bounds, cancelling, and order', async (t) => {
  const signals: AbortSignal[] = [];
  const finish: (() => void)[] = [];
  const order: string[] = [];
  const link = linked(
    (body, call, hooks) => {
      const text = Buffer.from(body).toString();
      order.push(text);
      if (text === 'batch') {
        for (let i = 0; i < 50; i++) {
          const end = performance.now() + 1;
          while (performance.now() < end);
          hooks.breathe();
        }
        order.push('batch end');
      }
      if (text !== 'hold') return { status: 200, body: 'done' };
      signals.push(call.signal);
      return new Promise((resolve) => finish.push(() => resolve({ status: 200, body: 'held' })));
    },
    { calls: 2, bytes: 1000 },
  );
  t.teardown(link.close);
  const first = link.call('hold');
  const second = link.call('hold');
  t.equal(link.call('hold').id, 0, 'two at most');
  t.ok(link.call('x', { priority: true }).id > 0, 'but for submissions');
  t.ok(link.call('y', { waits: true }).id > 0, 'and calls that wait');
  t.equal(link.call(new Uint8Array(1000), { waits: true }).id, 0, 'bytes count for all');
  while (signals.length < 2) await new Promise((resolve) => setImmediate(resolve));
  link.front.cancel(first.id);
  while (!signals[0]!.aborted) await new Promise((resolve) => setImmediate(resolve));
  t.notOk(signals[1]!.aborted);
  const third = link.call('z');
  t.ok(third.id > 0, 'its place is free');
  for (const done of finish) done();
  t.equal((await second.reply).text, 'held');
  t.equal((await third.reply).text, 'done');
  t.equal(link.node.stats().cancelled, 1);
  t.equal(link.node.stats().running, 0);

  // Both are in their ports before the batch begins.
  order.length = 0;
  const batch = link.call('batch');
  const submit = link.call('submit', { priority: true });
  await Promise.all([batch.reply, submit.reply]);
  t.ok(order.indexOf('submit') < order.indexOf('batch end'), order.join());

  // News keep their place among replies, and drain() takes what has arrived without a turn of the loop.
  link.node.tellAll({ news: 'warmup', text: 'a' });
  link.node.tellAll({ news: 'warmup', text: null });
  link.front.drain();
  t.same(link.news, [
    { news: 'warmup', text: 'a' },
    { news: 'warmup', text: null },
  ]);
});
