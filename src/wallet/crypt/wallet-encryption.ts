import type { WalletLock } from '../lock.js';
import { NOT_LOADED, WALLET_CODE, WalletError } from '../manage/wallet-error.js';
import { openAnyMasterKey, type SealedMasterKey } from './master-key.js';
import type { Vault } from './vault.js';

/** Largest delay of a timer in milliseconds. */
const MOST_DELAY_MS = 2 ** 31 - 1;

export interface EncryptionDeps {
  readonly vault: Vault;
  readonly access: WalletLock;
  /** Returns the time in seconds. */
  readonly now: () => number;
  readonly isClosed: () => boolean;
}

/** Locks and unlocks the private keys of an encrypted wallet. */
export class WalletEncryption {
  readonly masterKeys: SealedMasterKey[] = [];
  #needsNewSeed = false;
  #unlockedUntil = 0;
  #relock: NodeJS.Timeout | undefined;
  #unlockings = 0;
  readonly #deps: EncryptionDeps;

  constructor(deps: EncryptionDeps) {
    this.#deps = deps;
  }

  /** Time at which the wallet locks itself, seconds; 0 if the wallet is locked now. */
  get unlockedUntil(): number {
    return this.#unlockedUntil;
  }
  /**
   * True if the wallet is encrypted but still uses the seed from before the encryption. The next unlocking makes a new
   * seed (encrypt-wallet.ts).
   */
  get needsNewSeed(): boolean {
    return this.#needsNewSeed;
  }
  setNeedsNewSeed(needed: boolean): void {
    this.#needsNewSeed = needed;
  }

  /** Decrypts the master key. @returns the key in a new array; null if the passphrase is wrong */
  async openMasterKey(passphrase: Uint8Array): Promise<Uint8Array | null> {
    return (await openAnyMasterKey(this.masterKeys, passphrase))?.key ?? null;
  }

  /**
   * Unlocks the wallet.
   * @param masterKey belongs to the wallet from now on
   * @param seconds until the wallet locks itself; null: it does not
   * @throws WalletError if the wallet is closed
   */
  unlock(masterKey: Uint8Array, seconds: number | null): void {
    if (this.#deps.isClosed()) {
      masterKey.fill(0);
      throw new WalletError(WALLET_CODE.NOT_FOUND, NOT_LOADED);
    }
    this.#deps.vault.unlock(masterKey);
    this.#unlockings++;
    clearTimeout(this.#relock);
    if (seconds === null) return;
    this.#unlockedUntil = this.#deps.now() + seconds;
    this.#lockIn(seconds * 1000);
  }
  /** Locks the wallet as soon as no call is running. Does nothing if the wallet is unlocked again before. */
  lock(): void {
    const unlockings = this.#unlockings;
    void this.#deps.access.runExclusive(() => {
      if (this.#unlockings === unlockings) this.lockNow();
    });
  }
  /** Locks the wallet at once. For exclusive work, and for wallets that no call can use yet. */
  lockNow(): void {
    clearTimeout(this.#relock);
    this.#unlockedUntil = 0;
    this.#deps.vault.lock();
  }

  /** Sets the timer, and for a long time sets it again when it fires. */
  #lockIn(leftMs: number): void {
    const delayMs = Math.min(leftMs, MOST_DELAY_MS);
    this.#relock = setTimeout(() => (leftMs > delayMs ? this.#lockIn(leftMs - delayMs) : this.lock()), delayMs);
    this.#relock.unref();
  }
}
