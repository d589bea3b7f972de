// Queues the payments of a wallet: between coin selection and the record of a payment, no other payment may choose the
// same coins.
import { SerialQueue } from '../../lib/serial-queue.js';
import type { Wallet } from '../wallet.js';

const queues = new WeakMap<Wallet, SerialQueue>();

/** Runs work after all earlier payments of the wallet. */
export function inPaymentQueue<T>(wallet: Wallet, work: () => Promise<T>): Promise<T> {
  let queue = queues.get(wallet);
  if (queue === undefined) {
    queue = new SerialQueue();
    queues.set(wallet, queue);
  }
  return queue.run(work);
}
