import t from 'tap';
import { LongPolls, type ParkedPoll } from '../../../src/template/view/long-polls.js';

/** Timers that the test moves. */
class HandTimers {
  now = 1000;
  armed: { at: number; run: () => void } | null = null;

  monotonicMs(): number {
    return this.now;
  }

  after(ms: number, run: () => void): () => void {
    if (this.armed) throw new Error('one timer is enough');
    this.armed = { at: this.now + ms, run };
    return () => {
      this.armed = null;
    };
  }

  soon(run: () => void): void {
    run();
  }

  to(ms: number): void {
    while (this.armed && this.armed.at <= ms) {
      const { at, run } = this.armed;
      this.now = at;
      this.armed = null;
      run();
    }
    this.now = ms;
  }
}

t.test('answers polls at 60, 70, 80 seconds if the mempool counter has changed by then', async (t) => {
  const timers = new HandTimers();
  let counter = 5;
  const polls = new LongPolls(timers, () => counter);
  const woken: [name: string, at: number][] = [];
  const poll = (name: string, tipHex: string, known: number): ParkedPoll => ({
    tipHex,
    counter: known,
    resume: () => woken.push([name, timers.now]),
  });
  polls.park(poll('a', 'tip', 5));
  timers.to(31_000);
  polls.park(poll('b', 'tip', 5));
  const gone = poll('gone', 'tip', 1);
  polls.park(gone);
  timers.to(60_999);
  t.same(woken, []);
  timers.to(61_000);
  t.same(woken, [], 'the counter is the one it knows');
  counter = 6;
  timers.to(70_999);
  t.same(woken, []);
  timers.to(71_000);
  t.same(woken, [['a', 71_000]]);
  polls.remove(gone);
  timers.to(200_000);
  t.same(woken.slice(1), [['b', 91_000]]);
  t.equal(polls.size, 0);
  t.equal(timers.armed, null, 'no timer without waiters');

  woken.length = 0;
  polls.park(poll('c', 'old', 6));
  polls.park(poll('d', 'new', 6));
  polls.park(poll('e', 'old', 6));
  polls.tipChanged('new');
  t.same(
    woken.map(([name]) => name),
    ['c', 'e'],
  );
  polls.resumeAll();
  t.same(
    woken.map(([name]) => name),
    ['c', 'e', 'd'],
  );
  t.equal(timers.armed, null);

  // Whoever parks again while being woken waits for the next time.
  polls.park({ tipHex: 'x', counter: 0, resume: () => polls.park(poll('again', 'y', 0)) });
  polls.tipChanged('y');
  t.equal(polls.size, 1);
});
