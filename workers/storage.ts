// Entry of the thread that writes databases; everything it does is in src/storage.
import { type MessagePort, parentPort } from 'node:worker_threads';
import { serveNxteditionWrites } from '../src/storage/nxtedition-engine.js';

serveNxteditionWrites(parentPort as MessagePort);
