// A thread of peers' sockets that ends when it is told to call port 1, and one that hangs for port 2.
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { createNativeHashes } from '../../../../src/crypto/native/hashes.js';
import type { ThreadInit, ToThread } from '../../../../src/net/thread/messages.js';
import { serveLines } from '../../../../src/net/thread/serve-lines.js';

const port = parentPort as MessagePort;
port.on('message', (message: ToThread) => {
  if (message.kind !== 'open') return;
  if (message.where.port === 1) process.exit(3);
  if (message.where.port === 2) for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
});
serveLines(workerData as ThreadInit, port, createNativeHashes(), null);
