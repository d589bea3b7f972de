// Bundles with V8's code cache: which cache is taken, which is replaced.
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import t from 'tap';
import { until } from '../framework/until.js';

const loader = path.resolve(import.meta.dirname, '../../../src/code-cache.cjs');
const script = `
  const { parentPort, workerData: { loader, file } } = require('node:worker_threads');
  parentPort.on('message', () => {});
  parentPort.postMessage(require(loader).loadBundle(file, 0));
`;

/** Loads a bundle on a thread, which has no compiled code of other threads. @param written tells when the thread may end */
async function load(file: string, written?: () => boolean): Promise<unknown> {
  const worker = new Worker(script, { eval: true, workerData: { loader, file } });
  const [value] = (await once(worker, 'message')) as [unknown];
  if (written) await until('the cache is written', written);
  await worker.terminate();
  return value;
}

/** Writes a bundle that exports a digit. */
function writeBundle(file: string, value: number, digest: string): void {
  fs.writeFileSync(file, `module.exports = ${value};\n// ${digest.repeat(32)}\n`);
}

t.test('takes the cache of the same build only, and replaces a cache that V8 rejects', async (t) => {
  const folder = t.testdir();
  const file = path.join(folder, 'bundle.js');
  const caches = (): string[] => fs.readdirSync(folder).filter((name) => name.endsWith('.cache'));
  writeBundle(file, 1, 'a');
  t.equal(await load(file, () => caches().length === 1), 1, 'without a cache');
  const cache = path.join(folder, caches()[0]!);
  const { length } = fs.readFileSync(cache);

  // V8 compares the lengths of sources alone, so that the old value shows that it took the cache.
  writeBundle(file, 2, 'a');
  t.equal(await load(file), 1, 'with the cache');
  writeBundle(file, 3, 'b');
  t.equal(await load(file, () => caches().length === 2), 3, 'another build');

  writeBundle(file, 4, 'a');
  for (const damaged of [Buffer.alloc(length), fs.readFileSync(cache).subarray(0, length - 8), Buffer.alloc(0)]) {
    fs.writeFileSync(cache, damaged);
    t.equal(await load(file, () => !fs.readFileSync(cache).equals(damaged)), 4, `a damaged cache of ${damaged.length} bytes`);
    t.equal(await load(file), 4, 'its replacement');
  }
});
