// Entry of the thread that publishes a node to its fleet (src/fleet/publish).
import { workerData } from 'node:worker_threads';
import { type PublisherInit, startPublisher } from '../src/fleet/publish/publisher.js';
import { hurry } from '../src/lib/thread-priority.js';

// A higher priority, as for fronts: miners wait for this thread while other threads keep every core busy.
hurry(5);
startPublisher(workerData as PublisherInit);
