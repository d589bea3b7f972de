// Key pools filled in slices: -keypool and keypoolrefill may ask for very many keys. Each slice is a change of its own:
// what was made stays, as keys of a pool do not need each other.
import { Slicer } from '../../lib/slicer.js';
import type { Wallet } from '../wallet.js';

/**
 * Fills a wallet's pools, or does nothing where it cannot.
 * @param size as KeySource.topUp's
 * @param check called in every change before anything is made; what it throws ends this
 * @param of of a wallet of descriptors the numbers of those to fill; absent: all that give out addresses
 */
export async function fillPool(
  wallet: Wallet,
  size: number,
  slicer = new Slicer(),
  check?: () => void,
  of?: ReadonlySet<number>,
): Promise<void> {
  for (;;) {
    const result = await wallet.change((batch) => {
      check?.();
      return wallet.keys.topUp(size, batch, () => slicer.due, of);
    });
    if (result !== 'paused') return;
    await slicer.pause();
  }
}
