// Entry of a front thread; everything it does is in src/http/front.
import { workerData } from 'node:worker_threads';
import { type FrontInit, startFront } from '../src/http/front/start-front.js';

startFront(workerData as FrontInit);
