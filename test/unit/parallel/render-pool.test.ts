// Jobs of render threads that end: a job runs a second time, and fails with its second thread.
import t from 'tap';
import { RenderPool } from '../../../src/parallel/render-pool.js';

const filename = new URL('./crashing-worker.js', import.meta.url).href;

/** Starts a job whose first threads end. @param deaths number of threads that end */
const crash = (deaths: number, how = 'exit') => ({ lives: new Int32Array(new SharedArrayBuffer(4)).fill(deaths), how, answer: 'text' });

t.test('runs a job again if its thread ended, once', async (t) => {
  const pool = new RenderPool({ threads: 1, filename, workerData: null, warn: () => {} });
  t.teardown(() => pool.close());
  t.equal(await pool.runNamed('verify', crash(1)), 'text');
  await t.rejects(pool.runNamed('verify', crash(2)));
  t.equal(await pool.runNamed('verify', crash(0)), 'text', 'later jobs have threads again');
});

t.test('runs a job that exhausts the memory of its thread only once', async (t) => {
  const pool = new RenderPool({ threads: 1, filename, workerData: null, warn: () => {} });
  t.teardown(() => pool.close());
  await t.rejects(pool.runNamed('verify', crash(1, 'memory')), { code: 'ERR_WORKER_OUT_OF_MEMORY' });
  t.equal(await pool.runNamed('verify', crash(0)), 'text', 'later jobs have threads again');
});

t.test('runs no job after the pool was closed', async (t) => {
  const pool = new RenderPool({ threads: 1, filename, workerData: null, warn: () => {} });
  await pool.close();
  await t.rejects(pool.runNamed('verify', crash(0)), { message: 'The render threads are closed' });
  await t.rejects(pool.run('{}'), { message: 'The render threads are closed' });
});
