// Thread entry of the assembler, whose state is the mirrors inside the runners. Piscina calls all of these by name.

import { performance } from 'node:perf_hooks';
import { createNativeHashes } from '../src/crypto/native/hashes.js';
import { createAssembleRunner } from '../src/jobs/assemble.js';

const deps = { hashes: createNativeHashes(), now: () => performance.now() };

export const { assemble, improve } = createAssembleRunner(deps);

// For a mempool beside the node's.
export const { assemble: assembleBeside, improve: improveBeside, reset: forgetBeside } = createAssembleRunner(deps);
