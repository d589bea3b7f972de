// A thread entry that takes its time to load and leaves a file when it has: for tests of pools that are closed
// meanwhile.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { threadId } from 'node:worker_threads';

Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 250);
writeFileSync(join(process.env.ADIT_TEST_LOADED ?? '/nonexistent', String(threadId)), '');

export function assemble(): null {
  return null;
}
