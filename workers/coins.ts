// Entry of the threads that walk over all coins, one for each job (src/node/coin-threads.ts).
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { createNativeHashes } from '../src/crypto/native/hashes.js';
import { createKeyMath } from '../src/crypto/native/key-math.js';
import { hurry } from '../src/lib/thread-priority.js';
import { type CoinThreadData, serveCoinJob } from '../src/node/coin-thread.js';
import { openNxteditionReader } from '../src/storage/nxtedition-engine.js';

const data = workerData as CoinThreadData;
const hashes = createNativeHashes();
const { descriptors: language, hardenedMark: inferredMark } = data.compat;
const descriptors = { params: data.params, hashes, keys: createKeyMath(), language, inferredMark };

void serveCoinJob(data, {
  port: parentPort as MessagePort,
  render: { compat: data.compat, params: data.params, hashes, descriptors },
  openDatabase: openNxteditionReader,
  // Only now: the next change of the chain waits while the thread opens its cursor.
  onPinned: () => hurry(-5),
});
