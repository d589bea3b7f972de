// A thread for start-serve.test.ts: says that it listens, and ends without a word of warning, or stalls, when it is
// asked something.
import { parentPort, workerData } from 'node:worker_threads';

if ((workerData as { solutionsDir: string }).solutionsDir === 'early') process.exit(3);
parentPort?.postMessage({ kind: 'listening', addresses: [{ host: '127.0.0.1', port: 1 }] });
if ((workerData as { solutionsDir: string }).solutionsDir === 'listened') process.exit(6);
parentPort?.on('message', (message: { kind: string }) => {
  if (message.kind !== 'ask') return;
  if ((workerData as { solutionsDir: string }).solutionsDir === 'stalls') for (;;);
  process.exit(4);
});
