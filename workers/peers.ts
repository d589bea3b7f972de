// Entry of the thread that owns the sockets of peers (src/net/thread).
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { createEllSwift } from '../src/crypto/native/ell-swift.js';
import { createNativeHashes } from '../src/crypto/native/hashes.js';
import type { ThreadInit } from '../src/net/thread/messages.js';
import { serveConnections } from '../src/net/thread/serve-connections.js';

const init = workerData as ThreadInit;
const hashes = createNativeHashes();
serveConnections(init, parentPort as MessagePort, hashes, init.encrypts ? createEllSwift(hashes) : null);
