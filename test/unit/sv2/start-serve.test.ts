// The thread that serves Stratum V2 clients, when it ends by itself.
import t from 'tap';
import type { ServeOptions } from '../../../src/sv2/serve/messages.js';
import { startServe } from '../../../src/sv2/serve/start-serve.js';
import { until } from '../../framework/until.js';

const entry = new URL('./dying-serve.js', import.meta.url);
const optionsIn = (solutionsDir: string) => ({ solutionsDir }) as ServeOptions;

t.test('reports that the thread ended, and answers pending queries', async (t) => {
  const received: string[] = [];
  const thread = await startServe(
    optionsIn('later'),
    (message) => received.push(message.kind),
    (reason) => received.push(reason.message),
    entry,
  );
  t.same(thread.addresses, [{ host: '127.0.0.1', port: 1 }]);
  const questions = [thread.queryThread('clients'), thread.queryThread('clients')];
  t.same(await Promise.all(questions), [null, null]);
  t.same(received, ['the thread ended with code 4']);
  t.equal(await thread.queryThread('clients'), null);
  await thread.close();
  t.equal(received.length, 1, 'reported once');
});

t.test('fails the start when the thread ends before it listens', async (t) => {
  const ends: string[] = [];
  await t.rejects(
    startServe(
      optionsIn('early'),
      () => {},
      (reason) => ends.push(reason.message),
      entry,
    ),
    { message: 'the thread ended with code 3' },
  );
  t.same(ends, []);
});

t.test('reports once that the thread ended right after it listened, even to a busy node thread', async (t) => {
  const ends: string[] = [];
  const starting = startServe(
    optionsIn('listened'),
    () => {},
    (reason) => void ends.push(reason.message),
    entry,
  );
  // Messages of the thread wait until this one checks: that it listens, and that it ended.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_000);
  await starting.catch((error: Error) => ends.push(error.message));
  await until('it is told of', () => ends.length > 0);
  t.same(ends, ['the thread ended with code 6'], 'once');
});
