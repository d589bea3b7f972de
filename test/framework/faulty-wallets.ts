// The wallets' thread with injected faults: an exception inside a wallet at one height, and uncaught exceptions of the
// thread at others. Each is thrown only once, also over restarts of the thread: a file in the wallets' folder records
// it.
import fs from 'node:fs';
import path from 'node:path';
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import type { WalletInit } from '../../src/node/wallet-messages.js';
import { runWallets } from '../../src/node/wallet-worker.js';
import { Ledger } from '../../src/wallet/coins/ledger.js';
import { FAULTY_HEIGHT } from './faulty-heights.js';

const init = workerData as WalletInit;
const once = (what: string): boolean => {
  const file = path.join(init.options.dir, `${what}.once`);
  if (fs.existsSync(file)) return false;
  fs.writeFileSync(file, '');
  return true;
};
const { setTip } = Ledger.prototype;
Ledger.prototype.setTip = function (height) {
  setTip.call(this, height);
  if (height === FAULTY_HEIGHT.WALLET && once('wallet')) throw new Error('injected into a wallet');
  if ((FAULTY_HEIGHT.THREADS as readonly number[]).includes(height) && once(`thread-${height}`)) {
    setImmediate(() => {
      throw new Error('injected into the thread');
    });
  }
};
await runWallets(init, parentPort as MessagePort);
