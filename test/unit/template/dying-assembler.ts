// A worker for assembler.test.ts: like workers/assemble.ts, but a request for a block of weight 1 ends the thread, and
// it does not load while the process says so.

import { performance } from 'node:perf_hooks';
import process from 'node:process';
import { createNativeHashes } from '../../../src/crypto/native/hashes.js';
import { createAssembleRunner } from '../../../src/jobs/assemble.js';
import type { AssembleReply, AssembleRequest } from '../../../src/jobs/assemble-messages.js';

if (process.env.ADIT_TEST_BROKEN_WORKER === '1') throw new Error('does not load');

const runner = createAssembleRunner({ hashes: createNativeHashes(), now: () => performance.now() });

export function assemble(request: AssembleRequest): AssembleReply {
  if (request.maxWeight === 1) process.exit(1);
  return runner.assemble(request);
}
