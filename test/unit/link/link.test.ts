import { MessageChannel, Worker } from 'node:worker_threads';
import t from 'tap';
import { newRing } from '../../../src/link/byte-ring.js';
import { CallLinks } from '../../../src/link/call-links.js';
import { CallQuota } from '../../../src/link/call-quota.js';
import { CallReader, CallWriter, ReplyReader, ReplyWriter, RING_BYTES } from '../../../src/link/frames.js';
import { FrontCounters } from '../../../src/link/front-counters.js';
import { FrontLink } from '../../../src/link/front-link.js';
import { newLink } from '../../../src/link/link.js';
import { type FrontNews, ITEM, isShared, Outbox, wholeBody } from '../../../src/link/messages.js';
import { MethodCounts } from '../../../src/link/method-counts.js';
import { SharedState, STATE_FLAG } from '../../../src/link/shared-state.js';
import { SlabReader, SlabRing } from '../../../src/link/slab-ring.js';

const INDEX = Int32Array.of(0, 1, 2, 3, 4);
const NO_INDEX = new Int32Array(0);
const LARGE = { user: 'a', uri: '/', plain: true };

t.test('shares epoch, counters, flags and times between two views', async (t) => {
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
  t.ok(Math.abs(other.nowSeconds() - Date.now() / 1000) < 60);
  state.mockSeconds = 1_300_000_000;
  t.equal(other.nowSeconds(), 1300000000);
  state.startedMs = 5_000_000_000_000;
  t.equal(other.startedMs, 5e12);
  const flags = Object.values(STATE_FLAG);
  for (const flag of flags) state.set(flag, false);
  for (const flag of flags) {
    state.set(flag, true);
    t.same(
      flags.filter((one) => other.has(one)),
      [flag],
    );
    state.set(flag, false);
  }
});

t.test('changes the state version with every change and every second', async (t) => {
  const { now } = Date;
  t.teardown(() => {
    Date.now = now;
  });
  const state = new SharedState();
  Date.now = () => 2_000_000_999;
  t.same([state.stateVersion, state.blocksVersion], [0, 0], 'unknown');
  state.noteChange();
  // 2^20, and 2,000,000 seconds modulo 2^20.
  t.same([state.stateVersion, state.blocksVersion], [2_000_000, 0]);
  state.noteBlockChange();
  t.same([state.stateVersion, state.blocksVersion], [3_048_576, 1]);
  Date.now = () => 2_000_001_000;
  t.equal(state.stateVersion, 3_048_577);
});

t.test('counts a call in the bucket of the lowest bound that its latency does not exceed', async (t) => {
  const counts = new MethodCounts();
  for (const bound of [0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 30, 120]) {
    counts.add('x', bound, false);
    counts.add('x', bound * 1.01, true);
  }
  t.match(counts.byMethod.get('x'), { calls: 24, errors: 12, buckets: [1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1] });
});

t.test('reserves the bytes that a reply may need, and refuses a reply that may not fit', async (t) => {
  const ring = newRing(4096);
  const writer = new ReplyWriter(ring);
  const reader = new ReplyReader(ring);
  const text = '\u20ac'.repeat(1_000);
  const bytes = Buffer.alloc(1_000, 7);
  t.equal(writer.write(1, 200, text, 5), true);
  t.equal(writer.write(2, 200, text, 5), false, 'as many bytes as units would fit, three times as many do not');
  t.equal(writer.write(3, 500, bytes, 6), true, 'bytes need no more than they are');
  t.equal(reader.next(), true);
  t.same([reader.id, reader.status, reader.messages], [1, 200, 5]);
  t.equal(Buffer.from(reader.body()).toString(), text);
  reader.done();
  t.equal(reader.next(), true);
  t.same([reader.id, reader.status, reader.messages], [3, 500, 6]);
  t.ok(bytes.equals(reader.body()));
  reader.done();
  t.equal(reader.next(), false);
});

t.test('passes user and URI with each call, and sends known ones as a number', async (t) => {
  const ring = newRing(RING_BYTES);
  const writer = new CallWriter(ring);
  const reader = new CallReader(ring);
  const callers = [
    ['a', '/'],
    ['a', '/wallet/x'],
    ['b', '/wallet/x'],
    ['a', '/wallet/x'],
    ['b', '/'],
    ['', '/wallet/x'],
    ['a', '/'],
    ['a', '/'],
  ] as const;
  const positions = callers.map(([user, uri], i) => writer.write(i, { user, uri, body: Buffer.from('{}'), plain: true }, INDEX));
  const seen: unknown[] = [];
  for (; reader.next(); reader.done()) seen.push([reader.caller.user, reader.caller.uri]);
  t.same(seen, callers);
  const sizes = positions.slice(1).map((position, i) => position - positions[i]);
  const [known, again] = [sizes[3], sizes[6]];
  t.equal(known, again, 'a known caller is sent as a number');
  t.ok(sizes[2] > known, 'a new caller by its name');
  t.ok(writer.write(9, { ...LARGE, body: new Uint8Array(32 * 1024) }, NO_INDEX) >= 0);
  t.equal(writer.write(9, { ...LARGE, body: new Uint8Array(32 * 1024 + 1) }, NO_INDEX), -1, 'larger bodies go by the port');
  t.equal(writer.write(9, { ...LARGE, body: new Uint8Array(32 * 1024) }, INDEX), -1, 'an index counts');
});

t.test('counts calls that only wait by their bytes, not by their number', async (t) => {
  const room = new CallQuota({ calls: 2, bytes: 100 }, new FrontCounters());
  const waits = { sizeBytes: 10, counted: false };
  const works = { sizeBytes: 10, counted: true };
  for (let i = 0; i < 4; i++) t.equal(room.reserveCall(waits, false), true);
  t.same([room.reserveCall(works, false), room.reserveCall(works, false), room.reserveCall(works, false)], [true, true, false]);
  t.equal(room.reserveCall({ sizeBytes: 40, counted: false }, false), true, 'as many bytes as there are');
  t.equal(room.reserveCall({ sizeBytes: 1, counted: false }, false), false);
  t.equal(room.reserveCall({ sizeBytes: 100, counted: true }, true), true, 'a submission takes as much again');
  t.equal(room.reserveCall({ sizeBytes: 1, counted: true }, true), false);
  room.releaseCall(works);
  t.equal(room.reserveCall({ sizeBytes: 1, counted: true }, true), true);
});

t.test('rewrites a slab only while no reader leases it', async (t) => {
  const ring = new SlabRing(2);
  const reader = new SlabReader(ring.control, ring.slabs);
  ring.onGrow = (slab) => reader.update(slab);
  const exhausted: number[] = [];
  ring.onExhausted = (index) => exhausted.push(index);
  const first = ring.takeSlab(10)!;
  t.equal(first.buffer.byteLength, 65536);
  t.equal(reader.lease(first), null, 'not while it is written');
  ring.publish(first);
  t.equal(reader.lease(first), first.buffer);
  const second = ring.takeSlab(100_000)!;
  t.equal(second.buffer.byteLength, 131072);
  t.equal(ring.publish(second).use, ring.publish(second).use, 'twice is once');
  t.equal(reader.lease(first), first.buffer, 'held by its reader after the publisher let go');
  t.equal(ring.takeSlab(1), null);
  t.same(exhausted, [first.index]);
  reader.release(first);
  t.equal(ring.takeSlab(1), null);
  const waiting = ring.takeSlabWhenFree(1);
  reader.release(first);
  ring.retryWaiting();
  const third = await waiting;
  t.equal(third.index, first.index);
  t.equal(third.use, first.use + 1);
  t.equal(reader.lease(first), null, 'what was there is gone');
  ring.discard(third);
  const fourth = ring.takeSlab(70_000)!;
  ring.publish(fourth);
  t.equal(reader.lease(first), null, 'another use of the same slab');
  t.equal(reader.lease(fourth)?.byteLength, 131072, 'the larger slab became known');
  reader.release(fourth);
  t.same(ring.stats(), { slabs: 2, busy: 1, bytes: 262144, grown: 3, exhausted: 3 });
});

t.test('endLeases frees the slabs that an ended thread has leased, and no others', async (t) => {
  const ring = new SlabRing(2);
  const held = new SharedArrayBuffer(8);
  const ended = new SlabReader(ring.control, ring.slabs, held);
  const other = new SlabReader(ring.control, ring.slabs);
  const first = ring.publish(ring.takeSlab(0)!);
  for (const reader of [ended, ended, ended, other]) t.ok(reader.lease(first));
  ended.release(first);
  ring.publish(ring.takeSlab(0)!);
  const waiting = ring.takeSlabWhenFree(0);
  ring.endLeases(held);
  t.same([...new Int32Array(held)], [0, 0]);
  t.equal(ring.takeSlab(0), null, 'the other reader still reads');
  other.release(first);
  t.equal((await waiting).index, first.index);
});

t.test('publish returns the use count of its own slab', async (t) => {
  const ring = new SlabRing(2);
  ring.discard(ring.takeSlab(10)!);
  for (const [index, use] of [
    [0, 2],
    [1, 1],
    [0, 3],
  ]) {
    t.same(ring.publish(ring.takeSlab(10)!), { index, use });
  }
});

t.test('readers never see parts of two templates while slabs are rewritten', async (t) => {
  const ring = new SlabRing(4);
  const path = new URL('../../../src/link/slab-ring.js', import.meta.url).href;
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
    const slab = await ring.takeSlabWhenFree(words * 4);
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

t.test('passes 20,000 calls between two threads through a ring that fills and drains', async (t) => {
  const ring = newRing(8192);
  const { port1, port2 } = new MessageChannel();
  const path = new URL('../../../src/link/frames.js', import.meta.url).href;
  const source = `
    const { parentPort, workerData } = require('node:worker_threads');
    import(${JSON.stringify(path)}).then(async ({ CallWriter }) => {
      const writer = new CallWriter(workerData.ring);
      let full = 0;
      for (let id = 1; id <= 20000; id++) {
        // Sizes from nothing to more than half of the ring; now and then a caller that is new.
        const size = (id * 7919) % (id % 50 === 0 ? 5000 : 300);
        const body = new Uint8Array(size).fill(id);
        const call = { user: 'user', uri: '/wallet/' + (id % 700), body, plain: id % 2 === 0 };
        while (writer.write(id, call, new Int32Array(id % 3).fill(id)) < 0) {
          if (full++ === 0) parentPort.postMessage('full');
          await new Promise((resolve) => setImmediate(resolve));
        }
        if (writer.ring.mustWake()) workerData.port.postMessage(null);
        if (id % 1000 === 0) await new Promise((resolve) => setTimeout(resolve, 2));
      }
      workerData.port.postMessage({ full });
    });`;
  const worker = new Worker(source, { eval: true, workerData: { ring, port: port2 }, transferList: [port2] });
  const reader = new CallReader(ring);
  // No call is read before the ring was full.
  await new Promise((resolve) => worker.once('message', resolve));
  let last = 0;
  let wrong = 0;
  let woken = 0;
  const { full } = await new Promise<{ full: number }>((resolve) => {
    port1.on('message', (message: { full: number } | null) => {
      woken++;
      do {
        while (reader.next()) {
          const { id } = reader;
          const body = reader.body();
          const { user, uri } = reader.caller;
          const right =
            id === last + 1 && user === 'user' && uri === `/wallet/${id % 700}` && !reader.cancelled && reader.plain === (id % 2 === 0);
          if (!right || body.length !== (id * 7919) % (id % 50 === 0 ? 5000 : 300) || body.some((byte) => byte !== (id & 255))) wrong++;
          last = id;
          reader.done();
        }
      } while (!reader.ring.sleep());
      if (message !== null) resolve(message);
    });
  });
  await worker.terminate();
  port1.close();
  t.equal(last, 20_000);
  t.equal(wrong, 0);
  t.ok(full > 0, 'it was full at least once');
  t.ok(woken > 1, 'and empty');
  t.equal(reader.ring.waiting, 0);
  t.ok(
    new Uint32Array(ring, 64).every((word) => word === 0 || word === 0xffff_ffff),
    'nothing of what was read is left',
  );
});

/** A front and a node thread in one, over real channels. */
function linked(execute: ConstructorParameters<typeof CallLinks>[0]['execute'], bounds = { calls: 10, bytes: 1 << 20 }) {
  const ends = newLink();
  const news: FrontNews[] = [];
  const faults: unknown[] = [];
  const received: Uint8Array[] = [];
  const node = new CallLinks({
    execute,
    askTemplate: async () => ({ code: -1, text: 'none' }),
    onNews: () => {},
    onFault: (_what, error) => faults.push(error),
  });
  node.add(0, ends.thread);
  const front = new FrontLink(ends.front, new CallQuota(bounds, new FrontCounters()), (one) => news.push(one));
  const call = (text: string | Uint8Array, extra: { priority?: boolean; submission?: boolean; waits?: boolean } = {}) => {
    const body = typeof text === 'string' ? Buffer.from(text) : text;
    let id = 0;
    const reply = new Promise<{ status: number; text: string }>((resolve) => {
      id = front.call(
        { user: 'u', uri: '/', method: 'm', body, priority: false, submission: false, waits: false, shared: false, plain: false, ...extra },
        (status, reply) => {
          if (isShared(reply)) received.push(reply.shared);
          resolve({ status, text: Buffer.from(wholeBody(reply)).toString() });
        },
      );
    });
    return { id, reply };
  };
  const close = () => {
    front.close();
    node.remove(0);
  };
  return { node, front, call, news, faults, received, close, replies: ends.front.replies };
}

t.test('returns replies of any size over the link, and status 500 for exceptions', async (t) => {
  const shared = new Uint8Array(new SharedArrayBuffer(100_000)).fill(0x62);
  const link = linked((body, _call, hooks) => {
    const text = Buffer.from(body).toString();
    if (text === 'throw') throw new Error('oops');
    if (text === 'reject') return Promise.reject(new Error('later'));
    hooks.onCall(text.slice(0, 4), 0.002, true);
    if (text === 'view') return { status: 200, body: { before: '<', shared: shared.subarray(1, 3), after: '>' } };
    if (text === 'shared') return { status: 200, body: { before: '<', shared, after: 'é>' } };
    return { status: 200, body: text.startsWith('bytes') ? new Uint8Array(200_000).fill(0x61) : `<${text}>` };
  });
  t.teardown(link.close);
  t.same(await link.call('one é').reply, { status: 200, text: '<one é>' });
  for (const priority of [false, true]) {
    const { reply } = link.call('shared', { priority });
    shared[0] = 0x63;
    t.same(await reply, { status: 200, text: `<c${'b'.repeat(99_999)}é>` }, 'shared bytes are not copied');
  }
  t.equal(link.received[0], link.received[1], 'the same shared bytes are the same object');
  t.same(await link.call('view', {}).reply, { status: 200, text: '<bb>' }, 'another view of the same memory is another object');
  const large = `${'x'.repeat(300_000)}é`;
  t.same(await link.call(large).reply, { status: 200, text: `<${large}>` });
  t.same(await link.call('bytes').reply, { status: 200, text: 'a'.repeat(200_000) });
  t.same(await link.call(large, { priority: true, submission: true }).reply, { status: 200, text: `<${large}>` });
  t.same(await link.call('submit', { priority: true, submission: true }).reply, { status: 200, text: '<submit>' });
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
  while (!link.node.stats().methods.has('uptime')) await new Promise((resolve) => setImmediate(resolve));
  t.same(link.node.stats().methods.get('uptime'), {
    calls: 2,
    errors: 1,
    seconds: 200.00005,
    buckets: [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1],
  });
  t.equal(link.node.stats().methods.get('last')?.calls, 1);
  t.equal(link.node.stats().prioritised, 3);
});

t.test('passes the index of a call as it was when the call was sent', async (t) => {
  let taken = (_call: { index: Int32Array | null }): void => {};
  const { front, thread } = newLink();
  t.teardown(() => {
    links.remove(0);
    caller.close();
  });
  const links = new CallLinks({
    execute: (body, call) => {
      taken(call);
      return { status: 200, body: `${body.length}: ${call.index}` };
    },
    askTemplate: async () => ({ code: 0, text: '' }),
    onNews: () => {},
    onFault: (_what, error) => t.fail(String(error)),
  });
  links.add(0, thread);
  const caller = new FrontLink(front, new CallQuota({ calls: 9, bytes: 1e9 }, new FrontCounters()), () => {});
  const answers = [40_000, 70_000, 2].flatMap((size) =>
    [3, 30_000].map((words) => {
      const index = new Int32Array(words).fill(size);
      const body = new Uint8Array(size);
      const sort = { shared: true, priority: false, submission: false, waits: false, plain: true };
      const call = { user: 'a', uri: '/', method: 'm', body, index, ...sort };
      const answer = new Promise<unknown>((resolve) =>
        caller.call(call, (_status, reply) => resolve(Buffer.from(wholeBody(reply)).toString())),
      );
      // The next request is scanned into the same memory.
      index.fill(7);
      return answer.then((given) => t.equal(given, `${size}: ${new Int32Array(words).fill(size)}`, `${size} bytes, ${words} words`));
    }),
  );
  await Promise.all(answers);
  // A view would take the memory of the largest scan to the other thread with every submission.
  const view = new Int32Array(100_000).subarray(0, 5);
  const urgent = { shared: true, priority: true, submission: true, waits: false, plain: false };
  const size = new Promise((resolve) => {
    taken = ({ index }) => resolve(index?.buffer.byteLength);
  });
  caller.call({ user: 'a', uri: '/', method: 'submitblock', body: new Uint8Array(2), index: view, ...urgent }, () => {});
  t.equal(await size, view.byteLength);
});

t.test('enforces limits, cancels calls, and runs submissions within a batch', async (t) => {
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
          hooks.yieldToUrgent();
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
  t.equal(link.call('x', { priority: true }).id, 0, 'with keys as well');
  t.ok(link.call('x', { priority: true, submission: true }).id > 0, 'but for submissions');
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
  const submit = link.call('submit', { priority: true, submission: true });
  await Promise.all([batch.reply, submit.reply]);
  t.ok(order.indexOf('submit') < order.indexOf('batch end'), order.join());

  // News keep their order among replies, and drain() takes everything that has arrived without an event-loop tick.
  link.node.postNewsToAll({ news: 'warmup', text: 'a' });
  link.node.postNewsToAll({ news: 'warmup', text: 'b' });
  link.front.drain();
  t.same(link.news, [
    { news: 'warmup', text: 'a' },
    { news: 'warmup', text: 'b' },
  ]);
});

t.test('starts a submission between two other calls, or during a call that yields', async (t) => {
  const order: string[] = [];
  let submitted: Promise<unknown> = Promise.resolve();
  const link = linked((body, _call, hooks) => {
    const text = Buffer.from(body).toString();
    order.push(text);
    if (text === 'long' || text === 'first') submitted = link.call('submit', { priority: true, submission: true }).reply;
    if (text === 'long') {
      hooks.yieldToUrgent();
      order.push('end of long');
    }
    return { status: 200, body: text };
  });
  t.teardown(link.close);
  await link.call('long').reply;
  await submitted;
  t.same(order, ['long', 'submit', 'end of long']);
  order.length = 0;
  await Promise.all([link.call('first').reply, link.call('second').reply]);
  await submitted;
  t.same(order, ['first', 'submit', 'second']);
});

t.test('answers 500 and counts a call once when its reply cannot be sent', async (t) => {
  const link = linked((request, _call, hooks) => {
    const text = Buffer.from(request).toString();
    if (text === 'held?') return { status: 200, body: String(hooks.yieldToUrgent() !== undefined) };
    const body = {
      get length(): number {
        throw new RangeError('Array buffer allocation failed');
      },
    } as Uint8Array;
    const reply = { status: 200, body };
    return text === 'later' ? Promise.resolve(reply) : reply;
  });
  t.teardown(link.close);
  for (const [text, extra] of [
    ['now', {}],
    ['later', {}],
    ['now', { priority: true, submission: true }],
  ] as const) {
    t.same(await link.call(text, extra).reply, { status: 500, text: 'Unhandled request' }, text);
    t.match(link.node.stats(), { running: 0, runningBytes: 0 });
  }
  t.equal(link.faults.length, 3);
  t.same(await link.call('held?').reply, { status: 200, text: 'false' });
});

t.test('runs submissions during other calls, but not calls that hold keys', async (t) => {
  const held = new Map<string, boolean>();
  let finish = () => {};
  const link = linked((body, _call, hooks) => {
    const text = Buffer.from(body).toString();
    held.set(text, hooks.yieldToUrgent() !== undefined);
    if (text !== 'keys') return { status: 200, body: text };
    return new Promise((resolve) => {
      finish = () => resolve({ status: 200, body: text });
    });
  });
  t.teardown(link.close);
  const keys = link.call('keys', { priority: true });
  await link.call('other').reply;
  await link.call('submit', { priority: true, submission: true }).reply;
  finish();
  await keys.reply;
  await link.call('last').reply;
  t.same(Object.fromEntries(held), { keys: false, other: false, submit: true, last: false });
});

t.test('sleeps while there is nothing to do', async (t) => {
  const link = linked(() => ({ status: 200, body: 'x' }));
  t.teardown(link.close);
  await link.call('a').reply;
  // A tick that always schedules the next one would use a whole processor.
  while (process.getActiveResourcesInfo().includes('Immediate')) await new Promise((resolve) => setTimeout(resolve, 5));
  t.equal((await link.call('b').reply).text, 'x');
});

t.test('sends the reply to a call with keys by the priority port, not by shared memory', async (t) => {
  const link = linked(() => ({ status: 200, body: 'x' }));
  t.teardown(link.close);
  const written = () => new Int32Array(link.replies)[4];
  await link.call('keys', { priority: true }).reply;
  t.equal(written(), 0);
  await link.call('other').reply;
  t.equal(written(), 1);
});

t.test('lets the handler of a reply drain the link', async (t) => {
  const link = linked((body) => {
    const text = Buffer.from(body).toString();
    if (text === 'b') link.node.postNewsToAll({ news: 'warmup', text });
    return { status: 200, body: text };
  });
  t.teardown(link.close);
  const how = { user: 'u', uri: '/', method: 'm', priority: false, submission: false, waits: false, shared: false, plain: false };
  const seen: string[] = [];
  const answered = ['a', 'b', 'c'].map(
    (name) =>
      new Promise<void>((resolve) => {
        link.front.call({ ...how, body: Buffer.from(name) }, () => {
          link.front.drain();
          seen.push(name);
          resolve();
        });
      }),
  );
  await Promise.all(answered);
  t.same(seen, ['a', 'b', 'c']);
  t.equal(link.news.length, 1);
});

t.test('reports that the ring has no space for a cancellation', async (t) => {
  const ring = newRing(2048);
  const writer = new CallWriter(ring);
  const reader = new CallReader(ring);
  let calls = 0;
  while (writer.write(1, { user: 'u', uri: '/', body: Buffer.from('{}'), plain: false }, NO_INDEX) >= 0) calls++;
  let cancelled = 0;
  while (cancelled < 1000 && writer.cancel(2, 0)) cancelled++;
  t.ok(cancelled < 1000);
  const ids: number[] = [];
  for (; reader.next(); reader.done()) ids.push(reader.id);
  t.same(ids, [...new Array<number>(calls).fill(1), ...new Array<number>(cancelled).fill(2)]);
});

t.test('cancels a call that was already read by a separate frame', async (t) => {
  const ring = newRing(8192);
  const writer = new CallWriter(ring);
  const reader = new CallReader(ring);
  writer.write(1, { user: 'u', uri: '/', body: Buffer.from('parked'), plain: false }, NO_INDEX);
  t.ok(reader.next());
  reader.done();
  const before = new Uint32Array(ring, 64).slice();
  // Positions come round: what lies there is empty, or another call.
  const next = writer.write(2, { user: 'u', uri: '/', body: Buffer.from('other'), plain: false }, NO_INDEX);
  t.ok(writer.cancel(1, next));
  t.ok(writer.cancel(1, next + 100), 'an empty place');
  t.same(new Uint32Array(ring, 64).slice(next + 100, next + 110), before.slice(next + 100, next + 110), 'which stays empty');
  const seen: unknown[] = [];
  for (; reader.next(); reader.done()) seen.push([reader.id, reader.isCall, reader.cancelled]);
  t.same(seen, [
    [2, true, false],
    [1, false, true],
    [1, false, true],
  ]);
  const own = writer.write(3, { user: 'u', uri: '/', body: Buffer.from('own'), plain: false }, NO_INDEX);
  t.ok(writer.cancel(3, own));
  t.ok(reader.next());
  t.same([reader.id, reader.isCall, reader.cancelled], [3, true, true], 'a call that waits is taken back');
  reader.done();
  t.notOk(reader.next());
});

t.test('skips a call that was cancelled while it waited, and keeps the order of replies and news', async (t) => {
  const run: string[] = [];
  const link = linked(
    (body) => {
      const text = Buffer.from(body).toString();
      run.push(text);
      if (text.startsWith('news')) link.node.postNewsToAll({ news: 'warmup', text });
      return { status: 200, body: text.startsWith('large') ? text.repeat(5000) : text };
    },
    { calls: 1000, bytes: 1 << 24 },
  );
  t.teardown(link.close);
  const gone = link.call('gone');
  link.front.cancel(gone.id);
  const stays = link.call('stays');
  t.equal((await stays.reply).text, 'stays');
  t.same(run, ['stays']);
  t.equal(link.node.stats().cancelled, 1);
  t.equal(link.node.stats().queued, 0);

  // Small replies go by the ring, larger ones and news by the port; the front tells both in the order they were given.
  const names = Array.from({ length: 200 }, (_, i) => `${i % 7 === 3 ? 'news' : i % 5 === 1 ? 'large' : 'small'} ${i}`);
  const given: string[] = [];
  const calls = names.map((name) => link.call(name).reply.then(({ text }) => given.push(text.slice(0, name.length))));
  await Promise.all(calls);
  t.same([...given].sort(), [...names].sort());
  t.same(
    link.news.map((one) => (one.news === 'warmup' ? one.text : '')),
    names.filter((name) => name.startsWith('news')),
  );
  const small = given.filter((name) => !name.startsWith('large'));
  t.same(
    small,
    names.filter((name) => !name.startsWith('large')),
  );
});

t.test('delivers news between replies in the order in which they were sent', async (t) => {
  const order: string[] = [];
  const ends = newLink();
  const node: CallLinks = new CallLinks({
    execute: (body) => {
      const text = Buffer.from(body).toString();
      if (text.startsWith('tip')) node.postNews(0, { news: 'warmup', text });
      return { status: 200, body: text };
    },
    askTemplate: async () => ({ code: -1, text: 'none' }),
    onNews: () => {},
    onFault: () => {},
  });
  node.add(0, ends.thread);
  const bounds = { calls: 100, bytes: 1 << 20 };
  const front = new FrontLink(ends.front, new CallQuota(bounds, new FrontCounters()), (one) =>
    order.push(`news ${one.news === 'warmup' ? one.text : ''}`),
  );
  const expected: string[] = [];
  await Promise.all(
    Array.from({ length: 60 }, (_, i) => {
      const name = i % 3 === 1 ? `tip ${i}` : `call ${i}`;
      if (i % 3 === 1) expected.push(`news ${name}`);
      expected.push(name);
      const body = Buffer.from(name);
      return new Promise<void>((resolve) => {
        front.call(
          { user: '', uri: '/', method: 'm', body, shared: false, priority: false, submission: false, waits: false, plain: false },
          (_status, bytes) => {
            order.push(Buffer.from(bytes as Uint8Array).toString());
            resolve();
          },
        );
      });
    }),
  );
  front.close();
  node.remove(0);
  t.same(order, expected);
});

t.test('schedules no more ticks after the link was closed', async (t) => {
  const link = linked(() => ({ status: 200, body: 'late' }));
  let answered = false;
  void link.call('x').reply.then(() => {
    answered = true;
  });
  // The reply follows news that the front will not receive any more.
  link.front.close();
  link.node.postNewsToAll({ news: 'warmup', text: 'c' });
  const rest = () => new Promise((resolve) => setTimeout(resolve, 5));
  while (link.node.stats().calls === 0) await rest();
  link.node.remove(0);
  // A tick that always schedules the next one would keep the process alive every time.
  while (process.getActiveResourcesInfo().includes('Immediate')) await rest();
  t.notOk(answered);
});

t.test('delivers other replies and messages when a handler throws', async (t) => {
  const { port1: main, port2: nodeMain } = new MessageChannel();
  const { port1: priority, port2: nodePriority } = new MessageChannel();
  const replies = newRing(RING_BYTES);
  const seen: string[] = [];
  const front = new FrontLink(
    { main, priority, calls: newRing(RING_BYTES), replies },
    new CallQuota({ calls: 10, bytes: 1 << 20 }, new FrontCounters()),
    (news) => {
      seen.push(news.news);
      if (news.news === 'drain') throw new Error('news');
    },
  );
  // tap listens too, and would take them for the test's.
  const thrown: unknown[] = [];
  const note = (error: unknown) => thrown.push((error as Error).message);
  const others = process.listeners('uncaughtException');
  process.removeAllListeners('uncaughtException');
  process.on('uncaughtException', note);
  t.teardown(() => {
    front.close();
    nodeMain.close();
    nodePriority.close();
    process.off('uncaughtException', note);
    for (const other of others) process.on('uncaughtException', other);
  });
  const what = { user: 'u', uri: '/', method: 'm', priority: false, submission: false, waits: false, shared: false, plain: false };
  const ids = ['a', 'b', 'c', 'd', 'e'].map((name) =>
    front.call({ ...what, body: new Uint8Array(1) }, () => {
      seen.push(name);
      if (name === 'a' || name === 'c') throw new Error(name);
    }),
  );
  const writer = new ReplyWriter(replies);
  writer.write(ids[0]!, 200, 'x', 0);
  nodeMain.postMessage({ news: 'drain' });
  const outbox = new Outbox(nodeMain);
  outbox.push([ITEM.REPLY, ids[2]!, 200, 'x']);
  outbox.push([ITEM.REPLY, ids[3]!, 200, 'x']);
  outbox.flush();
  writer.write(ids[1]!, 200, 'x', 2);
  nodeMain.postMessage({ news: 'close' });
  writer.write(ids[4]!, 200, 'x', 3);
  try {
    front.drain();
  } catch (error) {
    note(error);
  }
  for (let turns = 0; turns < 50; turns++) await new Promise((resolve) => setImmediate(resolve));
  t.same(seen, ['a', 'drain', 'c', 'd', 'b', 'close', 'e']);
  t.same(thrown, ['a', 'news', 'c']);
  t.equal(front.callsUnderWay, 0);
});

t.test('shares the limits among all links of a front', async (t) => {
  const counters = new FrontCounters();
  const room = new CallQuota({ calls: 2, bytes: 100 }, counters);
  const finish: (() => void)[] = [];
  const ends = [newLink(), newLink()];
  const threads = ends.map(({ thread }) => {
    const links = new CallLinks({
      execute: () => new Promise((resolve) => finish.push(() => resolve({ status: 200, body: 'x' }))),
      askTemplate: async () => ({ code: -1, text: 'none' }),
      onNews: () => {},
      onFault: () => {},
    });
    links.add(0, thread);
    return links;
  });
  const [one, other] = ends.map(({ front }) => new FrontLink(front, room, () => {}));
  t.teardown(() => {
    for (const front of [one, other]) front.close();
    for (const links of threads) links.remove(0);
  });
  const how = { user: '', uri: '/', method: 'm', shared: false, priority: false, submission: false, waits: false, plain: false };
  let replies = 0;
  const call = (link: FrontLink, size: number, submission = false) =>
    link.call({ ...how, body: new Uint8Array(size), submission }, () => replies++);
  t.equal(call(one, 101), 0, 'more bytes than there may be');
  t.ok(call(one, 60) > 0);
  t.equal(call(other, 60), 0, 'bytes of both count');
  t.ok(call(other, 60, true) > 0, 'a submission passes');
  t.equal(call(one, 1), 0, 'calls of both count');
  t.equal(call(one, 81, true), 0, 'twice the bytes are the end');
  t.same([counters.get('callsOnNode'), counters.get('callBytesOnNode')], [2, 120]);
  while (finish.length < 2) await new Promise((resolve) => setImmediate(resolve));
  for (const run of finish) run();
  while (replies < 2) await new Promise((resolve) => setImmediate(resolve));
  t.same([counters.get('callsOnNode'), counters.get('callBytesOnNode')], [0, 0]);
  t.ok(call(other, 100) > 0);
});
