// Tests that no thread is terminated while it loads a native library, because this would end the whole process.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import type { AssembleRequest } from '../../../src/jobs/assemble-messages.js';
import { threadsLoaded } from '../../../src/lib/loading-threads.js';
import { PooledAssembler } from '../../../src/parallel/assembler-pooled.js';
import { WorkPool } from '../../../src/parallel/pool.js';

/** This worker ignores its task. */
const TASK = {} as AssembleRequest;
const filename = new URL('./slow-worker.js', import.meta.url).href;

/** Makes the folder in which the threads write their files. */
function marks(t: { teardown(run: () => void): void }): string {
  const dir = mkdtempSync(join(tmpdir(), 'adit-loaded-'));
  t.teardown(() => rmSync(dir, { recursive: true, force: true }));
  process.env.ADIT_TEST_LOADED = dir;
  return dir;
}

t.test('lets the threads load before a pool closes', async (t) => {
  const dir = marks(t);
  const pool = new WorkPool({ threads: 3, filename });
  await Promise.all([pool.run('scan', 'assemble', TASK), pool.close()]);
  t.equal(readdirSync(dir).length, 3);
});

t.test('starts no threads for a pool without jobs', async (t) => {
  const dir = marks(t);
  const pool = new WorkPool({ threads: 3, filename });
  const assembler = new PooledAssembler({ filename });
  await assembler.secondAssembler().close();
  await threadsLoaded();
  await Promise.all([pool.close(), assembler.close()]);
  t.equal(readdirSync(dir).length, 0);
  await t.rejects(pool.run('scan', 'assemble', TASK), { code: 'ADIT_POOL_CLOSED' });
});

t.test("lets the assembler's thread load before it closes", async (t) => {
  const dir = marks(t);
  const assembler = new PooledAssembler({ filename });
  await Promise.all([assembler.assemble(TASK), assembler.close()]);
  t.equal(readdirSync(dir).length, 1);
  await t.rejects(assembler.assemble(TASK), { code: 'ADIT_POOL_CLOSED' });
});

t.test('threadsLoaded waits for threads that are loading before the process ends', async (t) => {
  const dir = marks(t);
  const pool = new WorkPool({ threads: 2, filename });
  const assembler = new PooledAssembler({ filename });
  const tasks = [assembler.assemble(TASK), pool.run('scan', 'assemble', TASK)];
  t.equal(readdirSync(dir).length, 0);
  await threadsLoaded();
  t.equal(readdirSync(dir).length, 3);
  await threadsLoaded();
  await Promise.all([...tasks, pool.close(), assembler.close()]);
});

t.test('close does not wait for threads that died while they loaded', async (t) => {
  process.env.ADIT_TEST_LOADED = '/nonexistent';
  const pool = new WorkPool({ threads: 2, filename });
  await Promise.all([t.rejects(pool.run('scan', 'assemble', TASK)), pool.close()]);
  t.equal(pool.running, 0);
});

t.test('closes real pools right after their start without ending the process', async (t) => {
  for (let i = 0; i < 5; i++) {
    const pool = new WorkPool({ threads: 2 });
    await Promise.all([pool.start(), pool.close()]);
  }
  t.pass('the process is still there');
});
