// When a serving thread that ends is started again; the threads are real ones that do nothing but end.
import t from 'tap';
import { SupervisedThread, type SupervisedThreadDeps } from '../../../src/lib/supervised-thread.js';
import type { ServeOptions } from '../../../src/sv2/serve/messages.js';
import { type ServingThread, startServe } from '../../../src/sv2/serve/start-serve.js';
import { until } from '../../framework/until.js';

const entry = new URL('../sv2/dying-serve.js', import.meta.url);

function rig(solutionsDir = 'later') {
  const world = {
    nowMs: 0,
    look: () => {},
    timers: 0,
    waits: [] as { ms: number; run: () => void }[],
    again: 0,
    ended: 0,
    lines: [] as string[],
  };
  const options = { binds: [], solutionsDir } as unknown as ServeOptions;
  const deps: SupervisedThreadDeps<ServingThread> = {
    name: 'Stratum V2',
    clock: { monotonicMs: () => world.nowMs },
    log: { info: (text) => world.lines.push(text), error: (text) => world.lines.push(text) },
    after: (ms, run) => {
      const wait = { ms, run };
      world.waits.push(wait);
      return () => world.waits.splice(0);
    },
    every: (look) => {
      world.look = look;
      world.timers++;
      return () => world.timers--;
    },
    start: (_addresses, onEnd) => startServe(options, () => {}, onEnd, entry),
    ended: async () => {
      world.ended++;
    },
    startedAgain: () => world.again++,
  };
  const waited = async (): Promise<{ ms: number; run: () => void }> => {
    await until('it waits for its next start', () => world.waits.length > 0);
    return world.waits.shift()!;
  };
  return { world, waited, start: () => SupervisedThread.start(deps) };
}

t.test('restarts a thread after doubling waits, which start over after a minute of life', async (t) => {
  const { world, waited, start } = rig();
  const kept = await start();
  t.teardown(() => kept.close());
  const waits: number[] = [];
  for (let life = 1; life <= 5; life++) {
    if (life === 4) world.nowMs += 60_001;
    t.equal(kept.addresses.length, 1);
    t.equal(await kept.current?.queryThread('clients'), null, 'it ends when it is asked');
    const { ms, run } = await waited();
    t.equal(kept.addresses.length, 0);
    t.same([world.ended, world.again], [life, life - 1], 'what it left comes before the next start');
    waits.push(ms);
    run();
    await until('another one listens', () => world.again === life);
  }
  t.same(waits, [1_000, 2_000, 4_000, 1_000, 2_000]);
});

t.test('close cancels a waiting restart and ends a starting thread', async (t) => {
  const { world, waited, start } = rig();
  const first = await start();
  await first.current?.queryThread('clients');
  await until('it waits', () => world.waits.length > 0);
  await first.close();
  t.equal(world.waits.length, 0, 'it waits no longer');

  const second = await start();
  await second.current?.queryThread('clients');
  (await waited()).run();
  await second.close();
  t.equal(second.addresses.length, 0);
  t.equal(world.again, 0, 'nothing is said of a thread that is closed');
});

t.test('terminates and restarts a thread that does not respond', async (t) => {
  const { world, waited, start } = rig('stalls');
  const kept = await start();
  for (let life = 1; life <= 2; life++) {
    t.equal(world.timers, 1);
    // The thread gets its check now and never answers it.
    world.look();
    for (let i = 0; i < 11; i++) world.look();
    t.equal(kept.addresses.length, 1, 'as long as it may take');
    world.look();
    const { run } = await waited();
    t.equal(world.timers, 0);
    run();
    await until('another one listens', () => world.again === life);
  }
  t.match(world.lines.slice(0, 3), [/does not respond. adit terminates it\.$/, /ended with code 1\. adit restarts it\.$/, /served again/]);
  await kept.close();
  t.equal(world.timers, 0);
});
