// Keeps the image of a wallet's tables true. The row 'T' names the image; from then on every batch of rows carries a
// row 'J' with the keys it writes, so that image and journal together are the tables, whenever the process dies. What
// the journal cannot tell (a row of the tables that is deleted) takes the image's name away with the same batch.
import { randomBytes } from 'node:crypto';
import type { Store } from '../../storage/store.js';
import { be64, fromBe64, WALLET_PREFIX, walletKey } from '../storage/layout.js';
import { packRow, unpackRow } from '../storage/rows.js';
import type { WalletBatch } from '../storage/wallet-batch.js';
import type { ImageFiles } from './image-file.js';
import { type ImageColumn, ImageSaver, type TableImage, wipeSecrets } from './table-image.js';

/** How a node keeps images. */
export interface ImageRules {
  /** @param folder of a wallet's database */
  readonly files: (folder: string) => ImageFiles;
  /** Smaller wallets load quickly enough from their rows. */
  readonly leastRows: number;
  /** Rows journalled that are no reason yet for a new image. */
  readonly leastJournal: number;
  readonly log: { info(line: string): void; warn(line: string): void };
}

/** Rows that the tables are made of; all others are read at every load. */
const IN_TABLES: ReadonlySet<number> = new Set([
  WALLET_PREFIX.key,
  WALLET_PREFIX.script,
  WALLET_PREFIX.watched,
  WALLET_PREFIX.descriptor,
  WALLET_PREFIX.descriptorKey,
  WALLET_PREFIX.descriptorScripts,
  WALLET_PREFIX.address,
  WALLET_PREFIX.tx,
  WALLET_PREFIX.spender,
  WALLET_PREFIX.output,
]);
/** What nodes use beside -walletimage. */
export const DEFAULT_IMAGES = { leastJournal: 5000 } as const;
/**
 * A new image is due when this share of the rows changed: replaying a row takes as long as writing and reading some
 * hundred.
 */
const NEW_IMAGE_SHARE = 256;
/** With this share, reading all rows is as quick. */
const FUTILE_SHARE = 8;
/**
 * Rows that a journal may name, read into memory at the next load: far more than any wallet needs before a new image is
 * due.
 */
export const MOST_JOURNAL = 1_000_000;
const HEAD_KEY = walletKey(WALLET_PREFIX.image);
const ID = 16;

const journalStart = (id: Uint8Array): Uint8Array => walletKey(WALLET_PREFIX.journal, id.subarray(0, 8));

export class WalletImages {
  /** The image that, with the journal, is what the tables hold; null when there is none. */
  #id: Uint8Array | null = null;
  #next = 0;
  #journalled = 0;
  readonly #files: ImageFiles;
  readonly #rules: ImageRules;

  /** @param folder of the wallet's database */
  constructor(rules: ImageRules, folder: string) {
    this.#rules = rules;
    this.#files = rules.files(folder);
  }

  /** Adds what the journal must tell of a batch. */
  journalBatch(batch: WalletBatch): void {
    if (this.#id === null) return;
    const touched: Uint8Array[] = [];
    for (const { type, key } of batch.ops) {
      if (!IN_TABLES.has(key[0])) continue;
      if (type === 'del' && key[0] !== WALLET_PREFIX.watched) {
        this.#discardWith(batch);
        return;
      }
      touched.push(key);
    }
    if (touched.length === 0) return;
    if (this.#journalled + touched.length > MOST_JOURNAL) {
      this.#discardWith(batch);
      return;
    }
    batch.put(walletKey(WALLET_PREFIX.journal, this.#id.subarray(0, 8), be64(this.#next++)), packRow(touched));
    this.#journalled += touched.length;
  }
  /** From this batch on there is no image. */
  #discardWith(batch: WalletBatch): void {
    this.detachImage();
    batch.del(HEAD_KEY);
  }
  /** The rows are in another database now. */
  detachImage(): void {
    this.#id = null;
  }

  /**
   * Reads the image, when there is a good one.
   * @returns its columns and the keys of rows that were written since, each once; null: everything is to be read from
   * rows
   */
  async load(store: Store): Promise<{ columns: ImageColumn[]; touched: Uint8Array[] } | null> {
    const id = await store.get(HEAD_KEY);
    await this.#files.keepOnly(id ?? null);
    if (id === undefined) return null;
    const columns = id.length === ID ? await this.#files.read(id) : null;
    if (columns === null) {
      await this.discardImage(store);
      return null;
    }
    this.#id = new Uint8Array(id);
    const touched = new Map<string, Uint8Array>();
    const start = journalStart(id);
    for await (const [key, value] of store.iterate({ gte: start, lt: walletKey(WALLET_PREFIX.journal + 1) })) {
      if (Buffer.compare(key.subarray(0, start.length), start) !== 0) break;
      this.#next = fromBe64(key, start.length) + 1;
      for (const row of unpackRow(value)) {
        if (!(row instanceof Uint8Array)) continue;
        this.#journalled++;
        touched.set(Buffer.from(row).toString('latin1'), new Uint8Array(row));
      }
      if (touched.size > MOST_JOURNAL) {
        wipeSecrets(columns);
        await this.discardImage(store);
        return null;
      }
    }
    return { columns, touched: [...touched.values()] };
  }

  /** Gives up the image that was read: what is written from here on is in no journal. */
  async discardImage(store: Store): Promise<void> {
    this.detachImage();
    await store.batch([{ type: 'del', key: HEAD_KEY }]);
  }

  /** Whether reading all rows takes no longer than going through so many changes. @param rows of all tables */
  isJournalTooLong(touched: number, rows: number): boolean {
    return touched > this.#rules.leastJournal && touched * FUTILE_SHARE > rows;
  }
  /** Whether an image of these many rows should be written. */
  isNewImageDue(rows: number): boolean {
    if (rows < this.#rules.leastRows) return false;
    return this.#id === null || (this.#journalled > this.#rules.leastJournal && this.#journalled * NEW_IMAGE_SHARE > rows);
  }
  /**
   * Writes the tables down; a failure only costs time at the next load. Nothing may change them meanwhile.
   * @param tables calls `image` of every table @param unchanged asked at the end
   */
  async save(store: Store, tables: (at: TableImage) => void, unchanged: () => boolean): Promise<void> {
    const id = new Uint8Array(randomBytes(ID));
    const saver = new ImageSaver();
    tables(saver);
    try {
      await this.#files.write(id, saver.columns);
      if (!unchanged()) return await this.#files.keepOnly(this.#id);
      await store.batch([{ type: 'put', key: HEAD_KEY, value: id }], { sync: true });
      this.#id = id;
      this.#next = 0;
      this.#journalled = 0;
      await this.#files.keepOnly(id);
      await store.clear(walletKey(WALLET_PREFIX.journal), walletKey(WALLET_PREFIX.journal + 1));
    } catch (error) {
      this.#rules.log.warn(`The tables of a wallet could not be written down: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  /** For the log: where a long load stands. */
  logProgress(line: string): void {
    this.#rules.log.info(line);
  }
}
