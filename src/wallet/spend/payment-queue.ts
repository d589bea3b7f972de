// Payments of a wallet wait for each other: between the choice of coins and the record of the payment no other may
// choose the same ones.
import { SerialQueue } from '../../lib/serial-queue.js';
import type { Wallet } from '../wallet.js';

const queues = new WeakMap<Wallet, SerialQueue>();

/** Runs work when all payments of the wallet asked for before are done. */
export function inPaymentQueue<T>(wallet: Wallet, work: () => Promise<T>): Promise<T> {
  let queue = queues.get(wallet);
  if (queue === undefined) {
    queue = new SerialQueue();
    queues.set(wallet, queue);
  }
  return queue.run(work);
}
