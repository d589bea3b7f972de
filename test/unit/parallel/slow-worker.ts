// A thread entry that loads slowly and writes a file afterwards. It serves tests of pools that are closed while it
// loads.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { threadId } from 'node:worker_threads';

Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 250);
writeFileSync(join(process.env.ADIT_TEST_LOADED ?? '/nonexistent', String(threadId)), '');

export function assemble(): null {
  return null;
}
