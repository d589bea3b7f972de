// A thread's own urgency: what one thread is granted is not the others'.
import os from 'node:os';
import { Worker } from 'node:worker_threads';
import t from 'tap';

const CODE = `
const { parentPort } = require('node:worker_threads');
const os = require('node:os');
import(${JSON.stringify(new URL('../../../src/lib/thread-priority.js', import.meta.url).href)}).then(({ createUrgency, hurry }) => {
  const before = os.getPriority(0);
  const urgency = createUrgency(4);
  const switched = [true, true, false, false, true, false].map((urgent) => (urgency(urgent), os.getPriority(0)));
  const granted = [hurry(3), hurry(50)];
  parentPort.postMessage({ before, switched, granted, after: os.getPriority(0) });
});`;

t.test('raises the priority of the calling thread only', async (t) => {
  const before = os.getPriority(0);
  const worker = new Worker(CODE, { eval: true });
  const said = await new Promise<{ before: number; switched: number[]; granted: boolean[]; after: number }>((resolve) =>
    worker.once('message', resolve),
  );
  await worker.terminate();
  t.equal(said.before, before, 'a thread begins as urgent as the one that starts it');
  t.equal(os.getPriority(0), before, 'this thread is as urgent as before');
  if (process.platform !== 'linux') t.same(said.granted, [false, false]);
  const [urgent] = said.switched;
  t.ok(urgent === before || urgent === Math.max(-20, before - 4));
  t.same(said.switched, [urgent, urgent, before, before, urgent, before], 'a switch goes there and back, and counts once');
  // The limit may allow the first and not the second.
  const expected = said.granted[1] ? -20 : said.granted[0] ? before - 3 : before;
  t.equal(said.after, Math.max(-20, expected));
});
