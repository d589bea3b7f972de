// Payments of a wallet wait for each other: between the choice of coins and the record of the payment no other may choose the same ones.
import type { Wallet } from '../wallet.js';

const ends = new WeakMap<Wallet, Promise<unknown>>();

/** Runs work when all payments of the wallet asked for before are done. */
export function inSpendLine<T>(wallet: Wallet, work: () => Promise<T>): Promise<T> {
  const whole = (): Promise<void> => wallet.whole();
  const before = (ends.get(wallet) ?? Promise.resolve()).then(whole, whole);
  const run = before.then(work);
  ends.set(wallet, run);
  return run;
}
