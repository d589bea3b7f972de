// The thread that serves Stratum V2 clients, as it is; it ends without a word when it is asked something.
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import type { ServeOptions } from '../../../src/sv2/serve/messages.js';
import { runServe } from '../../../src/sv2/serve/start-serve.js';

parentPort?.on('message', ({ kind }: { kind: string }) => {
  if (kind === 'ask') process.exit(5);
});
await runServe(workerData as ServeOptions, parentPort as MessagePort);
