// Entry of the threads of the download engine.

import { type MessagePort, parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { runEngineThread } from '../src/engine/engine-thread.js';
import type { EngineCommand, EngineThreadData } from '../src/engine/shared-state.js';
import { hurry } from '../src/lib/thread-priority.js';

// A lower priority than the node thread and the peers' thread, as for the script threads.
hurry(-2);

const port = parentPort as MessagePort;
runEngineThread(workerData as EngineThreadData, {
  reply: (message, transfer) => port.postMessage(message, transfer),
  receive: () => receiveMessageOnPort(port)?.message as EngineCommand | undefined,
});
