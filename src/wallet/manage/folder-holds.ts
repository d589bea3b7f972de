// Tracks the wallet folders that this process holds. Only one wallet can hold a folder, whatever path leads there. It
// does so from before its database is opened until the database is closed. Within the process, device and inode
// identify a folder. Other processes are kept out by a lock inside the folder, which lasts while the database itself is
// replaced. Core: WalletBatch's environments and their .walletlock.
import fs from 'node:fs/promises';
import { type FolderLock, lockFolder } from '../../storage/folder-lock.js';
import { StoreError } from '../../storage/store-error.js';
import { LOCK_NAME } from '../storage/wallet-folder.js';
import { VERIFY, WALLET_CODE, WalletError } from './wallet-error.js';

/** Right of one wallet to use its folder, until `release`. */
export class FolderHold {
  #ending: Promise<void> | undefined;
  readonly #id: string;
  readonly #texts: Map<string, string>;
  readonly #lock: FolderLock;

  constructor(id: string, texts: Map<string, string>, lock: FolderLock) {
    this.#id = id;
    this.#texts = texts;
    this.#lock = lock;
  }

  /** Sets the error text for later attempts to hold this folder. */
  setErrorText(text: string): void {
    this.#texts.set(this.#id, text);
  }
  /** True if the folder is released, or is being released. Another wallet may then be in it. */
  get isReleased(): boolean {
    return this.#ending !== undefined;
  }
  /**
   * Releases the folder. Repeated calls have no effect.
   * @param empty true: the caller will remove the folder, so delete the files of the lock too
   */
  release(empty = false): Promise<void> {
    this.#ending ??= this.#release(empty);
    return this.#ending;
  }
  async #release(empty: boolean): Promise<void> {
    try {
      await (empty ? this.#lock.remove() : this.#lock.release());
    } finally {
      this.#texts.delete(this.#id);
    }
  }
}

export class FolderHolds {
  /** Error texts for later attempts, by device and inode. */
  readonly #texts = new Map<string, string>();

  /** Returns whether a folder is held. */
  async has(folder: string): Promise<boolean> {
    return this.#texts.has(await idOf(folder));
  }
  /**
   * Holds an existing folder.
   * @param text error text for later attempts
   * @throws WalletError if this or another process holds it
   */
  async holdFolder(folder: string, text: string): Promise<FolderHold> {
    const id = await idOf(folder);
    const known = this.#texts.get(id);
    if (known !== undefined) throw new WalletError(WALLET_CODE.WALLET, known);
    this.#texts.set(id, text);
    try {
      return new FolderHold(id, this.#texts, await lockFolder(folder, { name: LOCK_NAME }));
    } catch (error) {
      this.#texts.delete(id);
      if (!(error instanceof StoreError) || error.code !== 'STORE_LOCKED') throw error;
      throw new WalletError(WALLET_CODE.WALLET, `${VERIFY}Error initializing wallet database environment "${folder}"!`);
    }
  }
}

async function idOf(folder: string): Promise<string> {
  const { dev, ino } = await fs.stat(folder, { bigint: true });
  return `${dev}:${ino}`;
}
