// Folders of wallets that this process holds: each once, by whatever path it is reached, from before its database is
// looked at until it is closed. Within the process a folder is told by device and inode; other processes are kept away
// by a lock inside it, which lasts while the database itself is exchanged. Core: WalletBatch's environments and their
// .walletlock.
import fs from 'node:fs/promises';
import { type FolderLock, lockFolder } from '../../storage/folder-lock.js';
import { StoreError } from '../../storage/store-error.js';
import { LOCK_NAME } from '../storage/wallet-folder.js';
import { VERIFY, WALLET_CODE, WalletError } from './wallet-error.js';

/** A folder that is held. */
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

  /** What who else wants it is told from here on. */
  setErrorText(text: string): void {
    this.#texts.set(this.#id, text);
  }
  /** Whether it is not held any more, or will not be in a moment: what is in the folder may be another's. */
  get isReleased(): boolean {
    return this.#ending !== undefined;
  }
  /** Lets it go, once however often it is asked. @param empty whether nothing is kept in it: the lock's files go too */
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
  /** By device and inode: what who else wants it is told. */
  readonly #texts = new Map<string, string>();

  /** Whether a folder is held. */
  async has(folder: string): Promise<boolean> {
    return this.#texts.has(await idOf(folder));
  }
  /**
   * Takes a folder that is there.
   * @param text to who else wants it
   * @throws WalletError where it is held, here or by another process
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
