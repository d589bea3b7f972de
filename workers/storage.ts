// Entry of the storage thread, which writes databases (src/storage).
import { type MessagePort, parentPort } from 'node:worker_threads';
import { serveNxteditionWrites } from '../src/storage/nxtedition-engine.js';

serveNxteditionWrites(parentPort as MessagePort);
