// The wallets' thread with faults in it: an exception in a wallet at one block, and exceptions past every caller at others.
// Each happens once in a life of the node; a file in the wallets' folder says that it did.
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
