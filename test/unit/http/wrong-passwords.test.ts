// Tests wrong credentials: how long their replies are delayed, how many requests wait, and how many log lines they
// cause.
import { mock } from 'node:test';
import t from 'tap';
import type { Exchange } from '../../../src/http/front/exchange.js';
import { WrongPasswords } from '../../../src/http/front/wrong-passwords.js';

function begin(t: { teardown(end: () => void): void }) {
  mock.timers.enable({ apis: ['setTimeout'] });
  t.teardown(() => mock.timers.reset());
  const clock = { ms: 5_000 };
  const lines: string[] = [];
  const wrong = new WrongPasswords(
    (line) => lines.push(line),
    () => clock.ms,
  );
  let closed = 0;
  let answered = 0;
  const exchange = { close: () => closed++ } as unknown as Exchange;
  const guess = (count: number): void => {
    for (let n = 0; n < count; n++) wrong.delayReply(exchange, `10.0.0.${n}:1`, () => answered++);
  };
  const again = (address: string): void => wrong.delayReply(exchange, address, () => answered++);
  return { clock, lines, guess, again, counts: () => [closed, answered] };
}

t.test('answers wrong passwords after 250 ms, and cuts off more than 1,024 waiting ones', async (t) => {
  const { guess, counts } = begin(t);
  guess(1_024);
  t.same(counts(), [0, 0]);
  guess(1);
  t.same(counts(), [1, 0], 'one more is cut off');
  mock.timers.tick(249);
  t.same(counts(), [1, 0]);
  mock.timers.tick(1);
  t.same(counts(), [1, 1_024]);
  guess(1_024);
  t.same(counts(), [1, 1_024], 'more may wait again');
  guess(2);
  t.same(counts(), [3, 1_024]);
});

t.test('logs at most twenty wrong passwords a second', async (t) => {
  const { clock, lines, guess } = begin(t);
  guess(25);
  t.equal(lines.length, 20);
  t.equal(lines[0], 'ThreadRPCServer incorrect password attempt from 10.0.0.0:1');
  t.equal(lines[18], 'ThreadRPCServer incorrect password attempt from 10.0.0.18:1');
  t.equal(lines[19], 'ThreadRPCServer incorrect password attempt from 10.0.0.19:1, further attempts of this second are only counted');
  clock.ms = 5_999;
  guess(1);
  t.equal(lines.length, 20);
  clock.ms = 6_000;
  guess(1);
  t.equal(lines.length, 21);
});

t.test('lets at most four wrong passwords per address wait', async (t) => {
  const { again, counts } = begin(t);
  for (let n = 0; n < 7; n++) again('10.0.0.1');
  t.same(counts(), [3, 0], 'the others are cut off');
  again('10.0.0.2');
  t.same(counts(), [3, 0], 'another address waits like the first');
  mock.timers.tick(250);
  t.same(counts(), [3, 5]);
  for (let n = 0; n < 5; n++) again('10.0.0.1');
  t.same(counts(), [4, 5], 'more may wait again');
});
