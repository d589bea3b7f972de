// Entry of the thread that serves Stratum V2 clients; everything it does is in src/sv2/serve.
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { hurry } from '../src/lib/thread-priority.js';
import type { ServeOptions } from '../src/sv2/serve/messages.js';
import { runServe } from '../src/sv2/serve/start-serve.js';

// As fronts: miners wait for it while other threads keep every core busy.
hurry(5);
await runServe(workerData as ServeOptions, parentPort as MessagePort);
