import type { BlockFacts } from '../node-client.js';
import { WALLET_PREFIX, walletKey } from '../storage/layout.js';
import type { WalletBatch } from '../storage/wallet-batch.js';

/** A wallet's place in the chain. */
export class ChainPosition {
  #tip: BlockFacts | null = null;
  #disconnects = 0;
  #locator: Uint8Array = new Uint8Array(0);

  /** Last block that the wallet has processed; null while the wallet is being loaded. */
  get tip(): BlockFacts | null {
    return this.#tip;
  }
  /**
   * Number of times that the tip was disconnected. While this number stays the same, every later tip descends from the
   * earlier tips.
   */
  get disconnects(): number {
    return this.#disconnects;
  }
  /** Locator of the tip. The next load continues from the last of its blocks that is in the best chain. */
  get locator(): Uint8Array {
    return this.#locator;
  }

  moveTo(tip: BlockFacts): void {
    this.#tip = tip;
  }
  /** Moves the tip back, because it was disconnected. @param before block before the tip */
  moveBack(before: BlockFacts): void {
    this.#tip = before;
    this.#disconnects++;
  }
  /** Sets the locator of the tip. The caller writes it. */
  setLocator(locator: Uint8Array): void {
    this.#locator = locator;
  }
  writeLocator(batch: WalletBatch): void {
    batch.put(walletKey(WALLET_PREFIX.locator), this.#locator);
  }
}
