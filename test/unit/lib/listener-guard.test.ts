// Exceptions of listeners.
import t from 'tap';
import { ListenerGuard } from '../../../src/lib/listener-guard.js';
import { Listeners } from '../../../src/lib/listeners.js';

function createGuard() {
  const lines: string[] = [];
  return { lines, guard: new ListenerGuard({ error: (line) => lines.push(line) }) };
}

t.test('calls the listeners after one that throws, and counts the failure under its name', (t) => {
  const { guard, lines } = createGuard();
  const listeners = new Listeners<[number]>(guard);
  const received: string[] = [];
  listeners.add((n) => received.push(`a${n}`), 'first');
  listeners.add(() => {
    throw new Error('broken');
  }, 'second');
  const remove = listeners.add((n) => received.push(`c${n}`), 'third');
  t.same(
    [...guard.failures],
    [
      ['first', 0],
      ['second', 0],
      ['third', 0],
    ],
    'known before they fail',
  );
  listeners.call(1);
  remove();
  listeners.call(2);
  t.same(received, ['a1', 'c1', 'a2']);
  t.equal(guard.failures.get('second'), 2);
  t.match(lines[0], /^The listener "second" failed\. .*Error: broken/);
  t.end();
});

t.test('catches the rejection of a promise that a listener returns', async (t) => {
  const { guard, lines } = createGuard();
  const call = guard.wrap('late', async (text: string) => {
    await Promise.resolve();
    throw text;
  });
  t.equal(call('no error object'), undefined);
  await new Promise((resolve) => setImmediate(resolve));
  t.equal(guard.failures.get('late'), 1);
  t.match(lines, [/"late" failed.*no error object/]);
});

t.test('tells the caller whether the listener threw', (t) => {
  const { guard } = createGuard();
  t.equal(
    guard.run('one', () => false),
    true,
  );
  t.equal(
    guard.run('one', () => {
      throw undefined;
    }),
    false,
  );
  t.end();
});

t.test('logs the first, second, fourth, eighth and later failures at doubling intervals', (t) => {
  const { guard, lines } = createGuard();
  for (let i = 0; i < 100; i++) guard.failed('often', new Error('again'));
  t.equal(guard.failures.get('often'), 100);
  t.same(
    lines.map((line) => line.match(/\((\d+) times/)?.[1] ?? '1'),
    ['1', '2', '4', '8', '16', '32', '64'],
  );
  t.end();
});
