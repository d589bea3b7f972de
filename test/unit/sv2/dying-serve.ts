// A thread for start-serve.test.ts: says that it listens, and ends without a word of warning when it is asked for its clients.
import { parentPort, workerData } from 'node:worker_threads';

if ((workerData as { solutionsDir: string }).solutionsDir === 'early') process.exit(3);
parentPort?.postMessage({ kind: 'listening', addresses: [{ host: '127.0.0.1', port: 1 }] });
parentPort?.on('message', (message: { kind: string }) => {
  if (message.kind !== 'clients') return;
  parentPort?.postMessage({ kind: 'log', level: 'info', text: 'last words' });
  // Out first: what is posted is lost when the thread ends in the same turn.
  setImmediate(() => process.exit(4));
});
