// Thread entry of the assembler. The mirror inside the runner is this thread's state; Piscina calls both by name.

import { performance } from 'node:perf_hooks';
import { createNativeHashes } from '../src/crypto/native/hashes.js';
import { createAssembleRunner } from '../src/jobs/assemble.js';

export const { assemble, improve } = createAssembleRunner({ hashes: createNativeHashes(), now: () => performance.now() });
