// The thread that serves Stratum V1 miners. It ends without a word when it would post a found block, which is in its file by
// then.
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import type { FromStratum, StratumOptions } from '../../../src/stratum/serve/messages.js';
import { runStratum } from '../../../src/stratum/serve/start-serve.js';

const port = parentPort as MessagePort;
const post = port.postMessage.bind(port);
port.postMessage = ((message: FromStratum, transfer: readonly ArrayBuffer[]) => {
  if (message.kind === 'solution') process.exit(5);
  post(message, transfer);
}) as typeof port.postMessage;
await runStratum(workerData as StratumOptions, port);
