// Opens a Bitcoin Core wallet file and reads all of it. The size of the file bounds the work (paged-file.ts).
import fs from 'node:fs/promises';
import type { Hashes } from '../../crypto/crypto.js';
import { TimeSlice } from '../../lib/time-slice.js';
import { bdbRecords, isBdb } from './bdb-records.js';
import { type CoreWallet, emptyCoreWallet, readRow, wipeCoreWallet } from './core-wallet.js';
import { type ByteSource, CoreFileError, type CoreRow, OpenFile } from './paged-file.js';
import { applicationId, isSqlite, sqliteRecords } from './sqlite-records.js';

/** Largest file, bytes. The importer holds all records in memory until the new wallet is complete. */
const MOST_BYTES = 2 ** 31;
/**
 * Largest number of rows. A row of ten bytes may need 700 bytes as objects. A wallet with a million keys has three
 * million rows.
 */
const MOST_ROWS = 3_000_000;

/**
 * Returns the rows of a file of either format, and the network magic in its head (4 bytes; null in Berkeley DB files).
 */
export async function coreRows(source: ByteSource): Promise<{ rows: AsyncGenerator<CoreRow>; network: Uint8Array | null }> {
  const head = await source.read(0, 100);
  if (isSqlite(head)) {
    const network = new Uint8Array(4);
    new DataView(network.buffer).setUint32(0, await applicationId(source));
    return { rows: limitTotalSize(sqliteRecords(source), source), network };
  }
  if (isBdb(head)) return { rows: limitTotalSize(bdbRecords(source), source), network: null };
  throw new CoreFileError('The file is neither a Berkeley DB file nor a SQLite file');
}

/** Returns whether a file is a wallet of Bitcoin Core. @param head the file's first 100 bytes */
export const isCoreFile = (head: Uint8Array): boolean => isSqlite(head) || isBdb(head);

/**
 * Yields the given rows, and throws when they are together larger than the file. A hostile page that refers to one
 * place thousands of times would otherwise fill the memory.
 */
async function* limitTotalSize(rows: AsyncGenerator<CoreRow>, { size }: ByteSource): AsyncGenerator<CoreRow> {
  let left = size;
  for await (const row of rows) {
    left -= row.key.length + row.value.length;
    if (left < 0) throw new CoreFileError('The file is damaged: its rows are larger than the file');
    yield row;
  }
}

/** Collects all rows into a wallet. @throws CoreFileError */
export async function collectRows(rows: AsyncGenerator<CoreRow>, hashes: Hashes, mostRows = MOST_ROWS): Promise<CoreWallet> {
  const wallet = emptyCoreWallet();
  const slice = new TimeSlice();
  let count = 0;
  try {
    for await (const row of rows) {
      if (++count > mostRows) throw new CoreFileError(`The file has more than ${mostRows} rows, which is not supported`);
      try {
        readRow(wallet, row, hashes);
      } finally {
        // The value may be a private key. The wallet object has a copy, so overwrite this one.
        row.value.fill(0);
      }
      if (slice.over) await slice.next();
    }
    return wallet;
  } catch (error) {
    wipeCoreWallet(wallet);
    throw error;
  }
}

/**
 * Reads a wallet file that no other program has open.
 * @param magic network magic of the node, 4 bytes
 * @returns the wallet. The caller overwrites its private keys (wipeCoreWallet).
 * @throws CoreFileError
 */
export async function readCoreWallet(path: string, magic: Uint8Array, hashes: Hashes): Promise<CoreWallet> {
  const file = await OpenFile.open(path).catch((error: unknown) => {
    if (error instanceof CoreFileError) throw error;
    throw new CoreFileError(`The file cannot be opened: ${(error as Error).message}`);
  });
  try {
    if (file.size > MOST_BYTES) throw new CoreFileError('The file is larger than 2 GiB, which is not supported');
    const { rows, network } = await coreRows(file);
    if (network !== null) {
      if (Buffer.compare(network, magic) !== 0) throw new CoreFileError('The wallet is of another network');
      await refuseJournals(path);
    }
    const wallet = await collectRows(rows, hashes);
    try {
      await file.assertUnchanged();
      return wallet;
    } catch (error) {
      wipeCoreWallet(wallet);
      throw error;
    }
  } finally {
    await file.close();
  }
}

/**
 * Refuses a file whose folder also has its SQLite journal: SQLite has the file open, or its program crashed. In both
 * cases the journal has a part of the content.
 */
async function refuseJournals(path: string): Promise<void> {
  // If the path is a link, SQLite puts the journal into the folder of the file, not of the link.
  const file = await fs.realpath(path);
  for (const ending of ['-journal', '-wal']) {
    const info = await fs.stat(file + ending).catch(() => null);
    if (info !== null && info.size > 0) {
      throw new CoreFileError(
        `The file was not closed (its folder has a ${ending} file): unload the wallet in Bitcoin Core, or open and close it once`,
      );
    }
  }
}
