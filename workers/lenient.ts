// Entry of the lenient listener's thread; everything it does is in src/http/lenient.
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import type { LenientOptions } from '../src/http/lenient/lenient-listener.js';
import { runLenient } from '../src/http/lenient/start-lenient.js';
import { hurry } from '../src/lib/thread-priority.js';

// As fronts do, which it stands before.
hurry(5);
await runLenient(workerData as LenientOptions, parentPort as MessagePort);
