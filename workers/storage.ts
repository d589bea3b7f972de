// Entry of the thread that writes the database; everything it does is in src/storage.
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { serveNxteditionWrites } from '../src/storage/nxtedition-engine.js';

await serveNxteditionWrites(workerData as bigint, parentPort as MessagePort);
