// Webhooks against a receiver that is a function: order, tries and their number, the bound of the queue.
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import t from 'tap';
import type { Logger } from '../../../src/log/logger.js';
import { retryPausesMs, Webhooks } from '../../../src/notify/webhooks.js';

interface Delivery {
  readonly url: string;
  readonly event: string;
  readonly answer: (outcome: number | Error) => void;
}

/** Replaces fetch: every delivery waits until the test answers it. */
function receiver(t: Tap) {
  const deliveries: Delivery[] = [];
  const warnings: string[] = [];
  const real = globalThis.fetch;
  globalThis.fetch = ((url: string, { body, signal }: { body: string; signal: AbortSignal }) =>
    new Promise((resolve, reject) => {
      signal.addEventListener('abort', () => reject(new Error('aborted')));
      deliveries.push({
        url,
        event: body,
        answer: (outcome) => (outcome instanceof Error ? reject(outcome) : resolve(new Response(null, { status: outcome }))),
      });
    })) as typeof fetch;
  t.teardown(() => {
    globalThis.fetch = real;
  });
  const log = { warn: (text: string) => warnings.push(text) } as unknown as Logger;
  /** Waits for the delivery of a number. */
  const nth = async (n: number): Promise<Delivery> => {
    while (deliveries.length < n) await new Promise((resolve) => setTimeout(resolve, 0));
    return deliveries[n - 1] as Delivery;
  };
  return { deliveries, warnings, log, nth };
}
type Tap = { teardown(end: () => void): void };

t.test('tries an event six times, then drops it and sends the next', async (t) => {
  t.same(retryPausesMs, [500, 1_000, 2_000, 4_000, 8_000]);
  const { deliveries, warnings, log, nth } = receiver(t);
  const hooks = new Webhooks(['http://a/'], log, [0, 0, 0, 0, 0]);
  t.teardown(() => hooks.close());
  hooks.send({ event: 'block', height: 1 });
  hooks.send({ event: 'block', height: 2 });
  for (let n = 1; n <= 5; n++) (await nth(n)).answer(n % 2 === 0 ? 503 : new Error('refused'));
  t.same(warnings, []);
  (await nth(6)).answer(500);
  const next = await nth(7);
  t.same(warnings, ['-notifyurl: A block event could not be delivered: HTTP 500. Check the receiver.']);
  t.same(
    deliveries.map(({ event }) => JSON.parse(event).height),
    [1, 1, 1, 1, 1, 1, 2],
  );
  next.answer(200);
});

t.test('drops the oldest events beyond 256 waiting ones, and warns once', async (t) => {
  const { deliveries, warnings, log, nth } = receiver(t);
  const hooks = new Webhooks(['http://a/'], log, []);
  t.teardown(() => hooks.close());
  for (let height = 0; height <= 256; height++) hooks.send({ event: 'block', height });
  t.same(warnings, [], 'one is under way and 256 wait');
  hooks.send({ event: 'block', height: 257 });
  hooks.send({ event: 'block', height: 258 });
  t.same(warnings, ['-notifyurl: A receiver is too slow. Its oldest events are dropped.']);
  for (let n = 1; n <= 257; n++) (await nth(n)).answer(200);
  const heights = deliveries.map(({ event }) => JSON.parse(event).height as number);
  t.same([heights[0], heights[1], heights.at(-1), heights.length], [0, 3, 258, 257]);
});

t.test('delivers to several receivers independently, and sends nothing after close', async (t) => {
  const { deliveries, warnings, log, nth } = receiver(t);
  const hooks = new Webhooks(['http://a/', 'http://b/'], log, [0]);
  hooks.send({ event: 'startup' });
  hooks.send({ event: 'alert', text: 'x' });
  t.same(
    deliveries.map(({ url }) => url),
    ['http://a/', 'http://b/'],
  );
  (deliveries[1] as Delivery).answer(204);
  await nth(3);
  t.same([deliveries[2]?.url, deliveries[2]?.event], ['http://b/', '{"event":"alert","text":"x"}']);
  hooks.close();
  for (let i = 0; i < 5; i++) await new Promise(setImmediate);
  t.equal(deliveries.length, 3);
  t.same(warnings, []);
});

t.test('does not follow redirects', async (t) => {
  const asked: string[] = [];
  const server = http.createServer((request, reply) => {
    asked.push(request.url ?? '');
    reply.writeHead(307, { location: '/elsewhere' }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  const warned = new Promise<string>((resolve) => {
    const log = { warn: resolve } as unknown as Logger;
    const hooks = new Webhooks([`http://127.0.0.1:${(server.address() as AddressInfo).port}/here`], log, []);
    t.teardown(() => hooks.close());
    hooks.send({ event: 'block', height: 1 });
  });
  t.equal(await warned, '-notifyurl: A block event could not be delivered: HTTP 307. Check the receiver.');
  t.same(asked, ['/here']);
});
