// Entry of the thread that serves Stratum V1 miners; its code is in src/stratum/serve.
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { hurry } from '../src/lib/thread-priority.js';
import { runStratum, type StratumOptions } from '../src/stratum/serve/index.js';

// A higher priority, as for fronts: miners wait for this thread while other threads keep every core busy.
hurry(5);
void runStratum(workerData as StratumOptions, parentPort as MessagePort);
