// Fills key pools in slices, because -keypool and keypoolrefill may request very many keys. Each slice is a separate
// change of the wallet. If a slice fails, the keys of earlier slices remain.
import { TimeSlice } from '../../lib/time-slice.js';
import type { Wallet } from '../wallet.js';

/**
 * Fills a wallet's pools. Does nothing if the wallet cannot derive keys.
 * @param size number of keys; 0: the option -keypool
 * @param check called in every change before keys are derived; an exception ends the work
 * @param of numbers of the descriptors to fill; absent: all that give out addresses
 */
export async function fillPool(wallet: Wallet, size: number, check?: () => void, of?: ReadonlySet<number>): Promise<void> {
  const slice = new TimeSlice();
  for (;;) {
    const result = await wallet.change((batch) => {
      check?.();
      return wallet.keys.topUp(size, batch, () => slice.over, of);
    });
    if (result !== 'paused') return;
    await slice.next();
  }
}
