// Opens a wallet file of Bitcoin Core and reads all of it. What the file's own links make of it is bounded by its size
// (paged-file.ts).
import fs from 'node:fs/promises';
import type { Hashes } from '../../crypto/crypto.js';
import { Slicer } from '../../lib/slicer.js';
import { bdbRecords, isBdb } from './bdb-records.js';
import { type CoreWallet, emptyCoreWallet, readRow, wipeCoreWallet } from './core-wallet.js';
import { type ByteSource, CoreFileError, type CoreRow, OpenFile } from './paged-file.js';
import { applicationId, isSqlite, sqliteRecords } from './sqlite-records.js';

/** Everything read is in memory until the wallet is made. */
const MOST_BYTES = 2 ** 31;
/** Some are as short as ten bytes and take 700 as objects; a million keys have three million. */
const MOST_ROWS = 3_000_000;

/**
 * Rows of a file of either kind, and the network it names: the four bytes that begin its messages, null where it names
 * none.
 */
export async function coreRows(source: ByteSource): Promise<{ rows: AsyncGenerator<CoreRow>; network: Uint8Array | null }> {
  const head = await source.read(0, 100);
  if (isSqlite(head)) {
    const network = new Uint8Array(4);
    new DataView(network.buffer).setUint32(0, await applicationId(source));
    return { rows: limitTotalSize(sqliteRecords(source), source), network };
  }
  if (isBdb(head)) return { rows: limitTotalSize(bdbRecords(source), source), network: null };
  throw new CoreFileError('It is neither a Berkeley DB file nor a SQLite file');
}

/** Returns whether a file is a wallet of Bitcoin Core. @param head its first 100 bytes */
export const isCoreFile = (head: Uint8Array): boolean => isSqlite(head) || isBdb(head);

/** Rows that do not lie over each other: a page that names one place thousands of times would fill the memory. */
async function* limitTotalSize(rows: AsyncGenerator<CoreRow>, { size }: ByteSource): AsyncGenerator<CoreRow> {
  let left = size;
  for await (const row of rows) {
    left -= row.key.length + row.value.length;
    if (left < 0) throw new CoreFileError('The file is damaged: its rows are larger than the file');
    yield row;
  }
}

/** All that the rows tell. @throws CoreFileError */
export async function collectRows(
  rows: AsyncGenerator<CoreRow>,
  hashes: Hashes,
  pauses: Pick<Slicer, 'due' | 'pause'>,
  mostRows = MOST_ROWS,
): Promise<CoreWallet> {
  const wallet = emptyCoreWallet();
  let count = 0;
  try {
    for await (const row of rows) {
      if (++count > mostRows) throw new CoreFileError(`Files of more than ${mostRows} rows are not read`);
      try {
        readRow(wallet, row, hashes);
      } finally {
        // It may have been a private key; what is kept of it is a copy.
        row.value.fill(0);
      }
      if (pauses.due) await pauses.pause();
    }
    return wallet;
  } catch (error) {
    wipeCoreWallet(wallet);
    throw error;
  }
}

/**
 * Reads a file that no other program has open.
 * @param magic of the node's network, 4 bytes
 * @returns the wallet, whose private keys the caller overwrites (wipeCoreWallet)
 * @throws CoreFileError
 */
export async function readCoreWallet(path: string, magic: Uint8Array, hashes: Hashes, pauses = new Slicer()): Promise<CoreWallet> {
  const file = await OpenFile.open(path).catch((error: unknown) => {
    if (error instanceof CoreFileError) throw error;
    throw new CoreFileError(`It cannot be opened: ${(error as Error).message}`);
  });
  try {
    if (file.size > MOST_BYTES) throw new CoreFileError('Files above 2 GiB are not read');
    const { rows, network } = await coreRows(file);
    if (network !== null) {
      if (Buffer.compare(network, magic) !== 0) throw new CoreFileError('The wallet is of another network');
      await refuseJournals(path);
    }
    const wallet = await collectRows(rows, hashes, pauses);
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

/** What SQLite keeps beside a file while it is open, or after its program died: it belongs to the contents. */
async function refuseJournals(path: string): Promise<void> {
  // Where the file lies, not a link to it.
  const file = await fs.realpath(path);
  for (const ending of ['-journal', '-wal']) {
    const info = await fs.stat(file + ending).catch(() => null);
    if (info !== null && info.size > 0) {
      throw new CoreFileError(
        `The file was not closed (${ending} lies beside it): unload the wallet in Bitcoin Core, or open and close it once`,
      );
    }
  }
}
