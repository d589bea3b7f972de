// When mode `live` builds, with timers that are moved by hand.
import t from 'tap';
import type { ImproveResult } from '../../../src/jobs/assemble-messages.js';
import { LiveSchedule } from '../../../src/template/live-schedule.js';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function rig(
  over: { emptyFirst?: boolean; transactions?: boolean; wanted?: boolean; now?: boolean | Error; improve?: ImproveResult[] } = {},
) {
  const built: string[] = [];
  const failures: string[] = [];
  const timers: { at: number; run: () => void }[] = [];
  const state = { now: 0, next: true as boolean | Error, hold: null as Promise<void> | null, idle: 0, takes: 0 };
  const results = [...(over.improve ?? [])];
  const schedule = new LiveSchedule(
    { emptyFirst: over.emptyFirst ?? true, gainSats: 1000 },
    {
      nowMs: () => state.now,
      build: async (kind) => {
        built.push(kind);
        state.now += state.takes;
        await state.hold;
        const { next } = state;
        state.next = true;
        if (next instanceof Error) throw next;
        return next;
      },
      buildEmptyNow: () => {
        if (over.now instanceof Error) throw over.now;
        if (over.now === true) built.push('now');
        return over.now ?? false;
      },
      improve: async () => {
        state.idle++;
        return results.shift() ?? 'idle';
      },
      hasTransactions: () => over.transactions ?? true,
      wanted: () => over.wanted ?? true,
      failed: (error) => failures.push(error.message),
      after: (ms, run) => {
        const timer = { at: state.now + ms, run };
        timers.push(timer);
        return () => {
          if (timers.includes(timer)) timers.splice(timers.indexOf(timer), 1);
        };
      },
    },
  );
  const pass = async (ms: number): Promise<void> => {
    state.now += ms;
    for (;;) {
      const due = timers.filter(({ at }) => at <= state.now).sort((a, b) => a.at - b.at)[0];
      if (due === undefined) break;
      timers.splice(timers.indexOf(due), 1);
      due.run();
      await turn();
    }
    await turn();
  };
  return { schedule, built, failures, state, pass, timers };
}

t.test('builds an empty and then a full template at once after a new tip', async (t) => {
  const { schedule, built, pass } = rig();
  schedule.start();
  await turn();
  t.strictSame(built, ['empty', 'full']);
  schedule.tipChanged();
  t.equal(built.length, 2, 'not in the tick of the tip itself');
  await turn();
  t.strictSame(built.slice(2), ['empty', 'full'], 'without waiting for any pause');
  await pass(10_000);
  t.equal(built.length, 4, 'nothing happens while nothing changes');
});

t.test('builds nothing more when it is closed between the empty template and the full one', async (t) => {
  const { schedule, built, state } = rig();
  let goOn = (): void => {};
  state.hold = new Promise((resolve) => {
    goOn = resolve;
  });
  schedule.start();
  await turn();
  schedule.close();
  goOn();
  await turn();
  t.strictSame(built, ['empty'], 'nothing more is built');
});

t.test('publishes the empty template in the same tick as the tip where possible, and only once', async (t) => {
  const { schedule, built, state } = rig({ now: true });
  schedule.start();
  await turn();
  t.strictSame(built, ['empty', 'full'], 'the first template belongs to no tip change');
  schedule.tipChanged();
  t.strictSame(built.slice(2), ['now'], 'at once');
  await turn();
  t.strictSame(built.slice(2), ['now', 'full']);
  const before = built.length;
  let go = (): void => {};
  state.hold = new Promise((resolve) => {
    go = resolve;
  });
  schedule.tipChanged();
  await turn();
  schedule.tipChanged();
  state.next = false;
  go();
  await turn();
  await turn();
  t.strictSame(built.slice(before), ['now', 'full', 'now', 'full'], 'a tip during a build has its own; the build is begun again');
  const off = rig({ now: true, emptyFirst: false });
  off.schedule.tipChanged();
  await turn();
  t.strictSame(off.built, ['full']);
  const unwanted = rig({ now: true, wanted: false });
  unwanted.schedule.tipChanged();
  await turn();
  t.strictSame(unwanted.built, [], 'nor while no client can ask');
});

t.test('beginNow starts a due build in the tick of the caller, once, and not during a tip change', async (t) => {
  const { schedule, built, state, pass } = rig({ now: true });
  schedule.start();
  await turn();
  built.length = 0;
  schedule.tipChanged();
  schedule.transactionsChanged(5000);
  t.strictSame(built, ['now'], 'others do not begin it');
  schedule.beginNow();
  t.strictSame(built, ['now', 'full']);
  schedule.beginNow();
  await turn();
  t.strictSame(built, ['now', 'full'], 'it has begun');
  schedule.beginNow();
  t.equal(built.length, 2, 'nothing is due');
  await pass(10_000);
  state.hold = new Promise(() => {});
  schedule.transactionsChanged(5000);
  await turn();
  built.length = 0;
  schedule.tipChanged();
  schedule.beginNow();
  t.strictSame(built, ['now'], 'one build at a time');
  schedule.close();
  schedule.beginNow();
  t.strictSame(built, ['now']);
});

t.test('reports an exception in the tick of the tip, and still builds both templates', async (t) => {
  const { schedule, built, failures } = rig({ now: new Error('no facts') });
  schedule.tipChanged();
  t.strictSame(failures, ['no facts']);
  await turn();
  t.strictSame(built, ['empty', 'full']);
});

t.test('builds no empty template when there are no transactions or -emptyfirst is off', async (t) => {
  const none = rig({ transactions: false });
  none.schedule.start();
  await turn();
  t.strictSame(none.built, ['full']);
  const off = rig({ emptyFirst: false });
  off.schedule.start();
  await turn();
  t.strictSame(off.built, ['full']);
});

t.test('delays small changes until the calm interval, and large gains only by the pause', async (t) => {
  const { schedule, built, pass } = rig({ emptyFirst: false });
  schedule.start();
  await turn();
  schedule.transactionsChanged(10);
  await pass(999);
  t.equal(built.length, 1);
  await pass(1);
  t.equal(built.length, 2);
  schedule.transactionsChanged(600);
  schedule.transactionsChanged(399);
  await pass(100);
  t.equal(built.length, 2, 'not worth it yet');
  schedule.transactionsChanged(1);
  await turn();
  t.equal(built.length, 3, 'worth it');
  schedule.transactionsChanged(5000);
  await pass(99);
  t.equal(built.length, 3, 'a burst is taken in one');
  await pass(1);
  t.equal(built.length, 4);
  await pass(5000);
  schedule.transactionsChanged(0);
  await turn();
  t.equal(built.length, 5, 'the first change after a calm is taken at once');
});

t.test('waits nine times the duration of a build between gains, at most the calm interval', async (t) => {
  const { schedule, built, state, pass } = rig();
  schedule.start();
  await turn();
  await pass(1000);
  const pauseAfter = async (takes: number): Promise<number> => {
    state.takes = takes;
    schedule.transactionsChanged(5000);
    await turn();
    const before = built.length;
    schedule.transactionsChanged(5000);
    let waited = 0;
    for (; built.length === before; waited += 10) await pass(10);
    state.takes = 0;
    await pass(10_000);
    return waited;
  };
  t.equal(await pauseAfter(5), 100);
  t.equal(await pauseAfter(50), 450);
  t.equal(await pauseAfter(500), 1000);
});

t.test('handles a tip that arrives during a build after the build', async (t) => {
  const { schedule, built, state, pass } = rig();
  let go = (): void => {};
  state.hold = new Promise((resolve) => {
    go = resolve;
  });
  schedule.start();
  await turn();
  t.strictSame(built, ['empty']);
  schedule.tipChanged();
  await turn();
  t.strictSame(built, ['empty'], 'one at a time');
  state.next = false;
  go();
  await turn();
  await turn();
  t.strictSame(built, ['empty', 'empty', 'full'], 'the build that lost its tip is begun again');
  await pass(5000);
  t.equal(built.length, 3);
});

t.test('builds nothing while no client can ask, except on request', async (t) => {
  const { schedule, built } = rig({ wanted: false });
  schedule.start();
  schedule.tipChanged();
  await turn();
  t.equal(built.length, 0);
  await schedule.nextPublication();
  t.strictSame(built.slice(0, 1), ['empty']);
});

t.test('rejects waiting callers when a build fails, and tries again', async (t) => {
  const { schedule, built, state, failures, pass } = rig({ emptyFirst: false });
  state.next = new Error('no thread');
  await t.rejects(schedule.nextPublication(), { message: 'no thread' });
  t.strictSame(failures, ['no thread']);
  await pass(1000);
  t.equal(built.length, 2);
  schedule.close();
  schedule.tipChanged();
  await turn();
  t.equal(built.length, 2, 'closed: no more builds');
});

t.test('runs idle improvement after a build, and builds what it gained', async (t) => {
  const { schedule, built, state, pass } = rig({ emptyFirst: false, improve: ['more', 'more', 'done'] });
  schedule.start();
  await turn();
  t.equal(state.idle, 1);
  await pass(8);
  await pass(8);
  t.equal(state.idle, 3);
  t.equal(built.length, 1);
  t.equal(schedule.best, false, 'the gain is not built yet');
  await pass(1000);
  t.equal(built.length, 2);
  t.equal(schedule.best, true, 'nothing is left to gain');
  schedule.transactionsChanged(0);
  t.equal(schedule.best, false, 'until something changes');
});

t.test('refuses a request for a publication after close', async (t) => {
  const { schedule, built } = rig();
  schedule.close();
  const answer = schedule.nextPublication().then(
    () => 'built',
    (error: Error) => error.message,
  );
  t.equal(await Promise.race([answer, turn().then(() => 'open')]), 'the template service is closed');
  t.same(built, []);
});
