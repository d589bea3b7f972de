// Keeps the image of a wallet's tables valid. Row 'T' names the image. From then on every batch adds a row 'J' with the
// keys that it writes. So the image plus the journal equals the tables, whenever the process dies. A change that the
// journal cannot express (a deleted row) removes row 'T' in the same batch.
import { randomBytes } from 'node:crypto';
import type { Store } from '../../storage/store.js';
import { be64, fromBe64, WALLET_PREFIX, walletKey } from '../storage/layout.js';
import { packRow, unpackRow } from '../storage/rows.js';
import type { WalletBatch } from '../storage/wallet-batch.js';
import type { ImageFiles } from './image-file.js';
import { type ImageColumn, ImageSaver, type TableImage, wipeSecrets } from './table-image.js';

/** Settings that decide when wallets save an image. */
export interface ImageRules {
  /** Returns the storage of a wallet's images. @param folder of its database */
  readonly files: (folder: string) => ImageFiles;
  /** Number of rows below which no image is written, because such wallets load quickly from their rows. */
  readonly leastRows: number;
  /** A new image is written only if the journal has more rows than this. */
  readonly leastJournal: number;
  readonly log: { info(line: string): void; warn(line: string): void };
}

/** Prefixes of the rows that the tables contain. All other rows are read at every load. */
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
/** Defaults of settings other than -walletimage. */
export const DEFAULT_IMAGES = { leastJournal: 5000 } as const;
/**
 * A new image is written when the journal names more than 1/256 of all rows. Replaying a row takes as long as writing
 * and reading a few hundred rows of an image.
 */
const NEW_IMAGE_SHARE = 256;
/** When the journal names more than 1/8 of all rows, reading all rows is as fast as replaying the journal. */
const FUTILE_SHARE = 8;
/**
 * Largest number of rows in a journal, which the next load reads into memory. In practice, a new image is written long
 * before a journal is so long.
 */
export const MOST_JOURNAL = 1_000_000;
const HEAD_KEY = walletKey(WALLET_PREFIX.image);
const ID = 16;

const journalStart = (id: Uint8Array): Uint8Array => walletKey(WALLET_PREFIX.journal, id.subarray(0, 8));

export class WalletImages {
  /** Id of the image that, with the journal, equals the tables; null if there is none. */
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

  /** Adds a journal row for a batch. */
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
  /** Discards the image: the batch deletes row 'T', which names it. */
  #discardWith(batch: WalletBatch): void {
    this.detachImage();
    batch.del(HEAD_KEY);
  }
  /** Discards the image without changing the database, because the rows are in another database now. */
  detachImage(): void {
    this.#id = null;
  }

  /**
   * Reads the image if it is valid.
   * @returns its columns, and the keys of rows written since, each once; null: read everything from rows
   */
  async load(store: Store): Promise<{ columns: ImageColumn[]; touched: Uint8Array[] } | null> {
    const id = await store.get(HEAD_KEY);
    await this.#files.deleteAllExcept(id ?? null);
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

  /** Discards the image that was read. Later writes add no journal rows. */
  async discardImage(store: Store): Promise<void> {
    this.detachImage();
    await store.batch([{ type: 'del', key: HEAD_KEY }]);
  }

  /**
   * Returns whether reading all rows is at least as fast as replaying a journal.
   * @param touched changed rows in the journal
   * @param rows number of rows of all tables
   */
  isJournalTooLong(touched: number, rows: number): boolean {
    return touched > this.#rules.leastJournal && touched * FUTILE_SHARE > rows;
  }
  /** Returns whether a new image should be written. @param rows of all tables */
  isNewImageDue(rows: number): boolean {
    if (rows < this.#rules.leastRows) return false;
    return this.#id === null || (this.#journalled > this.#rules.leastJournal && this.#journalled * NEW_IMAGE_SHARE > rows);
  }
  /**
   * Writes a new image. The tables must not change meanwhile. A failure only makes the next load slower.
   * @param tables calls `transferImage` of every table
   * @param unchanged called at the end; returns whether the tables are still as they were saved
   */
  async save(store: Store, tables: (at: TableImage) => void, unchanged: () => boolean): Promise<void> {
    const id = new Uint8Array(randomBytes(ID));
    const saver = new ImageSaver();
    tables(saver);
    try {
      await this.#files.write(id, saver.columns);
      if (!unchanged()) return await this.#files.deleteAllExcept(this.#id);
      await store.batch([{ type: 'put', key: HEAD_KEY, value: id }], { sync: true });
      this.#id = id;
      this.#next = 0;
      this.#journalled = 0;
      await this.#files.deleteAllExcept(id);
      await store.clear(walletKey(WALLET_PREFIX.journal), walletKey(WALLET_PREFIX.journal + 1));
    } catch (error) {
      this.#rules.log.warn(
        `The image of a wallet could not be saved, so its next load may take longer: ${error instanceof Error ? error.message : String(error)}`,
      );
    }
  }
  /** Logs the progress of a load that takes long. */
  logProgress(line: string): void {
    this.#rules.log.info(line);
  }
}
