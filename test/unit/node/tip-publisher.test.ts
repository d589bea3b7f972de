// Tips in initial download are shown now and then, the last one always and at once.
import { mock } from 'node:test';
import t from 'tap';
import { TipPublisher } from '../../../src/node/tip-publisher.js';

t.test('publishes the last tip at once, and earlier ones at intervals', async (t) => {
  mock.timers.enable({ apis: ['setTimeout'] });
  t.teardown(() => mock.timers.reset());
  let nowMs = 0;
  let shown = 0;
  const publisher = new TipPublisher(
    () => {
      shown++;
    },
    () => nowMs,
  );
  publisher.changed(true, true);
  t.equal(shown, 1, 'the first one');
  for (let i = 0; i < 50; i++) publisher.changed(true, true);
  t.equal(shown, 1);
  nowMs = 100;
  publisher.changed(true, true);
  t.equal(shown, 2);
  publisher.changed(false, true);
  t.equal(shown, 3);
  publisher.changed(false, true);
  t.equal(shown, 4, 'near the tip every one');
  publisher.changed(true, true);
  mock.timers.tick(99);
  t.equal(shown, 4);
  mock.timers.tick(1);
  t.equal(shown, 5, 'shown after a while when nothing follows');
  publisher.changed(true, true);
  publisher.publishPending();
  t.equal(shown, 6, 'at once when it is known that nothing follows');
  publisher.publishPending();
  t.equal(shown, 6, 'it was shown');
  nowMs = 1_000;
  publisher.changed(true, false);
  t.equal(shown, 6, 'blocks were disconnected and others follow: the tip in between is not shown');
  publisher.changed(false, true);
  t.equal(shown, 7, 'the one at the end');
  nowMs = 2_000;
  publisher.changed(true, true);
  t.equal(shown, 8);
  publisher.close();
  mock.timers.tick(1_000);
  t.equal(shown, 8, 'not after the end');
});
