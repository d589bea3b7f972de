// Entry of the threads that walk over all coins (src/node/coin-threads.ts).
import os from 'node:os';
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { createNativeHashes } from '../src/crypto/native/hashes.js';
import { createKeyMath } from '../src/crypto/native/key-math.js';
import { hurry } from '../src/lib/thread-priority.js';
import { type CoinThreadData, serveCoinJobs } from '../src/node/coin-thread.js';
import { openNxteditionReader } from '../src/storage/nxtedition-engine.js';

const data = workerData as CoinThreadData;
const hashes = createNativeHashes();
const { descriptors: language, hardenedMark: inferredMark } = data.compat;
const descriptors = { params: data.params, hashes, keys: createKeyMath(), language, inferredMark };

const ordinary = os.getPriority(0);

void serveCoinJobs(data.handle, {
  port: parentPort as MessagePort,
  render: { compat: data.compat, params: data.params, hashes, descriptors },
  openDatabase: openNxteditionReader,
  lowerPriority: () => hurry(-5),
  restorePriority: () => os.getPriority(0) === ordinary || hurry(os.getPriority(0) - ordinary),
});
