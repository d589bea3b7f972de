// Entry of a front thread (src/http/front).
import { workerData } from 'node:worker_threads';
import { type FrontInit, startFront } from '../src/http/front/start-front.js';
import { createUrgency } from '../src/lib/thread-priority.js';

// Fronts use little processor time, and miners wait for them while the node's other threads keep every core busy. Five
// steps give a front about three times the share of those threads. With more, a flood of calls could delay the node
// thread on a machine with one core.
const urgency = createUrgency(5);
urgency(true);
startFront(workerData as FrontInit, urgency);
