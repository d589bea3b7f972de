// Entry of the thread that serves Stratum V2 clients (src/sv2/serve).
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { hurry } from '../src/lib/thread-priority.js';
import { runServe, type ServeOptions } from '../src/sv2/serve/index.js';

// A higher priority, as for fronts: miners wait for this thread while other threads keep every core busy.
hurry(5);
void runServe(workerData as ServeOptions, parentPort as MessagePort);
