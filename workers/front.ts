// Entry of a front thread; everything it does is in src/http/front.
import { workerData } from 'node:worker_threads';
import { type FrontInit, startFront } from '../src/http/front/start-front.js';
import { createUrgency } from '../src/lib/thread-priority.js';

// Fronts use little time, and miners wait for them while the node's other threads keep every core busy. Five steps are
// three times the share of those; more would let a flood of calls hold up the node thread on a machine with one core.
const urgency = createUrgency(5);
urgency(true);
startFront(workerData as FrontInit, urgency);
