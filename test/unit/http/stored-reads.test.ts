// Tests results of read jobs on a front: the number of running jobs, the cache, and the memory that replies take.
import t from 'tap';
import type { Exchange } from '../../../src/http/front/exchange.js';
import type { Replies } from '../../../src/http/front/reply.js';
import { StoredReads } from '../../../src/http/front/stored-reads.js';
import type { RenderPool } from '../../../src/parallel/render-pool.js';
import type { ReadResult } from '../../../src/rpc/reads/read-job.js';
import { encodeHole } from '../../../src/rpc/reads/unfilled.js';

const MB = 1 << 20;
const ZEROS = new Uint8Array(32 * MB);

/** A simulated client. */
class TestExchange {
  disconnected = false;
  onDisconnect: (() => void) | null = null;

  leave(): void {
    this.disconnected = true;
    this.onDisconnect?.();
  }
}

interface Started {
  readonly job: string;
  readonly signal: AbortSignal | undefined;
  finish(bytes: number): void;
}

/** Makes a StoredReads whose pool starts every job immediately and finishes it when the test says so. */
function open(threads = 2) {
  const started: Started[] = [];
  const sent: { readonly status: number; readonly bytes: number }[] = [];
  const pool = {
    threads,
    run: (job: string, signal?: AbortSignal) =>
      new Promise<ReadResult>((resolve) => {
        started.push({ job, signal, finish: (bytes) => resolve({ parts: [ZEROS.subarray(0, bytes)] }) });
      }),
    close: async () => {},
  };
  const replies = {
    fanOut: { heldBytes: 0, cutStalled: () => {} },
    sendJson: (_exchange: unknown, status: number, body: Uint8Array | string) => sent.push({ status, bytes: body.length }),
    sendParts(_exchange: unknown, _type: string, parts: readonly Uint8Array[]) {
      const bytes = parts.reduce((sum, { byteLength }) => sum + byteLength, 0);
      sent.push({ status: 200, bytes });
    },
  };
  const reads = new StoredReads({
    pool: pool as unknown as RenderPool<ReadResult>,
    render: () => {
      for (const end = performance.now() + 1; performance.now() < end; );
      return { parts: [] };
    },
    replies: replies as unknown as Replies,
    fronts: 1,
    log: () => {},
    count: () => {},
  });
  const run = (job: string, exchange = new TestExchange()) =>
    reads.run(exchange as unknown as Exchange, { entry: { idText: '1', hasId: true, version: 2 }, method: 'getblock', seconds: 0, job });
  const batch = (jobs: readonly string[], exchange = new TestExchange()) => {
    const holes = jobs.map((job) => encodeHole({ idText: '1', hasId: true, version: 2, method: 'getblock' }, JSON.parse(job), 0));
    reads.answer(exchange as unknown as Exchange, `[${holes.join(',')}]\n`);
    return exchange;
  };
  return { started, sent, run, batch };
}

/** Waits until pending promises have run. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

t.test('starts no more jobs than threads, because the size of a result is not known before', async (t) => {
  const { started, run } = open(2);
  for (let i = 0; i < 64; i++) void run(`{"block":${i}}`);
  await settle();
  t.equal(started.length, 2);
  started[0].finish(30 * MB);
  await settle();
  t.equal(started.length, 3, 'a finished job makes place for the next');
});

t.test('counts a cached result once, even if several clients disconnected while it was rendered', async (t) => {
  const { started, run } = open(64);
  for (let i = 0; i < 4; i++) {
    const client = new TestExchange();
    void run('{"block":1}', client);
    await settle();
    client.leave();
  }
  t.equal(started.length, 4);
  for (const { finish } of started.splice(0)) finish(10 * MB);
  await settle();
  void run('{"block":1}');
  await settle();
  t.same(started, []);
});

t.test('limits the number of cached results without bytes', async (t) => {
  const { started, run } = open(1);
  const job = (i: number): string => JSON.stringify({ i, dir: 'x'.repeat(100_000) });
  for (let i = 0; i < 1000; i++) {
    void run(job(i));
    await settle();
    started.pop()?.finish(0);
    await settle();
  }
  void run(job(0));
  await settle();
  t.equal(started.length, 1, 'the oldest was removed');
});

t.test('limits the bytes of all batches that wait for results', async (t) => {
  const { started, sent, batch } = open(64);
  for (let i = 0; i < 16; i++) batch(Array.from({ length: 8 }, (_, k) => `{"block":${100 * i + k}}`));
  for (let round = 0; round < 200; round++) {
    await settle();
    for (const { finish } of started.splice(0)) finish(15 * MB);
  }
  t.equal(sent.length, 16);
  t.ok(
    sent.some(({ status }) => status === 500),
    'the limit was reached',
  );
  t.ok(
    sent.some(({ status }) => status === 200),
    'other batches are answered',
  );
  sent.length = 0;
  batch(['{"block":1}', '{"block":2}']);
  await settle();
  for (const { finish } of started.splice(0)) finish(15 * MB);
  await settle();
  t.match(sent, [{ status: 200 }], 'ended batches hold nothing');
});

t.test('drops all jobs of a batch whose client disconnects', async (t) => {
  const { started, batch } = open(4);
  const client = batch([1, 2, 3, 4].map((block) => `{"block":${block}}`));
  await settle();
  t.equal(started.length, 4);
  client.leave();
  t.same(
    started.map(({ signal }) => signal?.aborted),
    [true, true, true, true],
  );
});

t.test('yields to other clients while it writes the small results of a batch', async (t) => {
  const { sent, batch } = open(1);
  let sentBefore = -1;
  setImmediate(() => {
    sentBefore = sent.length;
  });
  batch(Array.from({ length: 50 }, (_, hex) => JSON.stringify({ kind: 'pooled-tx', hex })));
  while (sent.length === 0) await settle();
  t.equal(sentBefore, 0, 'the event loop ran before the reply was complete');
});
