// The lenient listener's thread for lenient-restart.test.ts: the real one, which ends or stalls when the channel says so.
import { BroadcastChannel, type MessagePort, parentPort, workerData } from 'node:worker_threads';
import type { LenientOptions } from '../../../src/http/lenient/lenient-listener.js';
import { runLenient } from '../../../src/http/lenient/start-lenient.js';

const channel = new BroadcastChannel('adit-lenient');
channel.onmessage = (event) => {
  if ((event as { data: string }).data === 'end') process.exit(9);
  for (;;);
};
channel.unref();
await runLenient(workerData as LenientOptions, parentPort as MessagePort);
