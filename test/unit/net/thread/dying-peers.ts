// A thread for peers' sockets that fails on purpose: it ends at a connection to port 1 and hangs at one to port 2.
// PEERS_FAULT makes it end or hang while it loads, or end at the first listener.
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { createNativeHashes } from '../../../../src/crypto/native/hashes.js';
import type { ThreadInit, ToThread } from '../../../../src/net/thread/messages.js';
import { serveConnections } from '../../../../src/net/thread/serve-connections.js';

const port = parentPort as MessagePort;
const fault = process.env.PEERS_FAULT;
const hang = (): void => {
  for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
};
if (fault === 'load') process.exit(4);
if (fault === 'hang') hang();
port.on('message', (message: ToThread) => {
  if (message.kind === 'listen' && fault === 'listen') process.exit(5);
  if (message.kind !== 'open') return;
  if (message.where.port === 1) process.exit(3);
  if (message.where.port === 2) hang();
});
serveConnections(workerData as ThreadInit, port, createNativeHashes(), null);
