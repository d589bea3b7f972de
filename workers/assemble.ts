// Entry of the assembler's thread. Its state is the mirrors inside the runners. Piscina calls these functions by name.

import { performance } from 'node:perf_hooks';
import { createNativeHashes } from '../src/crypto/native/hashes.js';
import { createAssembleRunner } from '../src/jobs/assemble.js';

const deps = { hashes: createNativeHashes(), now: () => performance.now() };

export const { assemble, improve } = createAssembleRunner(deps);

// Assembly functions with a state of their own, for the warm-up, which has a second mempool.
export const { assemble: assembleBeside, improve: improveBeside, reset: forgetBeside } = createAssembleRunner(deps);
