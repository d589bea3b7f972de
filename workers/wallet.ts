// Entry of the wallets' thread (src/node/wallet-worker.ts).
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import type { WalletInit } from '../src/node/wallet-messages.js';
import { runWallets } from '../src/node/wallet-worker.js';

void runWallets(workerData as WalletInit, parentPort as MessagePort);
