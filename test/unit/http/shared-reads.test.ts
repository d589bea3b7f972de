// Tests replies with read jobs on a front: which jobs clients share, the end of a job when clients disconnect, and
// replies that wait for memory. The render threads and the sockets are simulated.
import t from 'tap';
import type { Exchange } from '../../../src/http/front/exchange.js';
import type { Replies } from '../../../src/http/front/reply.js';
import { StoredReads, type StoredReadsDeps } from '../../../src/http/front/stored-reads.js';
import type { ReadJob, ReadResult } from '../../../src/rpc/reads/read-job.js';
import { encodeHole } from '../../../src/rpc/reads/unfilled.js';
import { until } from '../../framework/until.js';

const MB = 1024 * 1024;
const entry = (idText: string, version: 1 | 2 = 1) => ({ idText, hasId: true, version, method: 'getblock' });
const job = (name: string): ReadJob => ({ kind: 'proof', block: {} as never, txids: [name] });

interface Started {
  readonly job: string;
  readonly signal: AbortSignal | undefined;
  finish(result: ReadResult | null): void;
}

class FakeExchange {
  disconnected = false;
  onDisconnect: (() => void) | null = null;
  disconnect(): void {
    this.disconnected = true;
    this.onDisconnect?.();
  }
}

function open() {
  const started: Started[] = [];
  const sent: { exchange: unknown; status: number; text: string; shared: unknown }[] = [];
  const log: string[] = [];
  const counted: (readonly [method: string, seconds: number, failed: boolean])[] = [];
  const fanOut = { heldBytes: 0, cuts: 0, cutStalled: () => void fanOut.cuts++ };
  const replies = {
    fanOut,
    sendJson: (exchange: unknown, status: number, body: string) => sent.push({ exchange, status, text: body, shared: undefined }),
    sendParts: (exchange: unknown, _type: string, parts: readonly Uint8Array[], options: { shared?: unknown } = {}) =>
      sent.push({ exchange, status: 200, text: Buffer.concat(parts).toString(), shared: options.shared }),
  };
  const pool = {
    threads: 8,
    run: (text: string, signal?: AbortSignal) =>
      new Promise<ReadResult | null>((finish) => started.push({ job: JSON.parse(text).txids[0], signal, finish })),
    close: async () => {},
  };
  const reads = new StoredReads({
    pool: pool as unknown as StoredReadsDeps['pool'],
    render: () => ({ parts: [] }),
    replies: replies as unknown as Replies,
    fronts: 1,
    log: (line) => log.push(line),
    count: (...call) => counted.push(call),
  });
  t.teardown(() => reads.close());
  const ask = (body: string): FakeExchange => {
    const exchange = new FakeExchange();
    reads.answer(exchange as unknown as Exchange, Buffer.from(body));
    return exchange;
  };
  return { started, sent, log, counted, fanOut, ask };
}

const text = (value: string): ReadResult => ({ parts: [Buffer.from(value)] });

t.test('shares one result among clients that ask for the same, at the same time and afterwards', async (t) => {
  const { started, sent, counted, ask } = open();
  ask(encodeHole(entry('1'), job('a'), 0));
  ask(encodeHole(entry('"x"', 2), job('a'), 1000));
  await until('the job starts', () => started.length > 0);
  started[0].finish(text('[7]'));
  await until('the replies are sent', () => sent.length === 2);
  ask(encodeHole(entry('3'), job('a'), 0));
  await until('the replies are sent', () => sent.length === 3);
  t.equal(started.length, 1);
  t.match(
    counted.map(([method, seconds, failed]) => [method, seconds >= 1000, failed]),
    [
      ['getblock', false, false],
      ['getblock', true, false],
      ['getblock', false, false],
    ],
    'each is counted, with its time on the node thread',
  );
  t.same(
    sent.map((reply) => reply.text),
    ['{"result":[7],"error":null,"id":1}\n', '{"jsonrpc":"2.0","result":[7],"id":"x"}\n', '{"result":[7],"error":null,"id":3}\n'],
  );
  t.equal(new Set(sent.map((reply) => reply.shared)).size, 1);
});

t.test('answers an error with its status, logs its line, and does not cache it', async (t) => {
  const { started, sent, log, ask } = open();
  for (const version of [1, 2] as const) ask(encodeHole(entry('1', version), job('a'), 0));
  await until('the job starts', () => started.length > 0);
  started[0].finish({ code: -1, message: 'Block not found on disk', log: 'ERROR: gone' });
  await until('the replies are sent', () => sent.length === 2);
  t.same(
    sent.map((reply) => [reply.status, reply.text]),
    [
      [500, '{"result":null,"error":{"code":-1,"message":"Block not found on disk"},"id":1}\n'],
      [200, '{"jsonrpc":"2.0","error":{"code":-1,"message":"Block not found on disk"},"id":1}\n'],
    ],
  );
  t.same(log, ['ERROR: gone']);
  ask(encodeHole(entry('1'), job('a'), 0));
  await until('the job starts', () => started.length === 2);
});

t.test('fills the holes of a batch in order, with errors in their places', async (t) => {
  const { started, sent, ask } = open();
  ask(`[{"id":0},${encodeHole(entry('1'), job('a'), 0)},${encodeHole(entry('2'), job('b'), 0)}]\n`);
  await until('the job starts', () => started.length === 2);
  started[1].finish({ code: -1, message: 'no', log: null });
  started[0].finish(text('5'));
  await until('the replies are sent', () => sent.length === 1);
  t.equal(sent[0].text, '[{"id":0},{"result":5,"error":null,"id":1},{"result":null,"error":{"code":-1,"message":"no"},"id":2}]\n');
});

t.test('drops a job when all its clients have disconnected, and runs it again for a new one', async (t) => {
  const { started, sent, ask } = open();
  const first = ask(encodeHole(entry('1'), job('a'), 0));
  const second = ask(encodeHole(entry('2'), job('a'), 0));
  await until('the job starts', () => started.length > 0);
  first.disconnect();
  t.equal(started[0].signal?.aborted, false);
  second.disconnect();
  t.equal(started[0].signal?.aborted, true);
  ask(encodeHole(entry('3'), job('a'), 0));
  await until('the job starts', () => started.length === 2);
  started[0].finish(null);
  started[1].finish(text('1'));
  await until('the replies are sent', () => sent.length > 0);
  t.same(
    sent.map((reply) => reply.text),
    ['{"result":1,"error":null,"id":3}\n'],
  );
});

t.test('starts no job while replies hold the memory, and continues when clients have read them', async (t) => {
  const { started, sent, fanOut, ask } = open();
  ask(encodeHole(entry('1'), job('a'), 0));
  await until('the job starts', () => started.length === 1);
  // The next results are expected to be as large as this one.
  started[0].finish({ parts: [Buffer.alloc(60 * MB, 0x20)] });
  await until('the replies are sent', () => sent.length === 1);
  fanOut.heldBytes = 60 * MB;
  for (const name of ['b', 'c', 'd']) ask(encodeHole(entry('1'), job(name), 0));
  await until('stalled readers are cut', () => fanOut.cuts > 0);
  t.same(
    started.map((one) => one.job),
    ['a', 'b'],
  );
  fanOut.heldBytes = 0;
  await until('the job starts', () => started.length === 3);
  started[1].finish(text('1'));
  await until('the job starts', () => started.length === 4);
  t.equal(started[3].job, 'd');
});
