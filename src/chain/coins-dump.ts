// Writes all unspent outputs to a file, in the form of Core 0.21's snapshots (SnapshotMetadata, then outpoint and coin by coin). One slice of
// coins is held at a time. Callers: Chain.
//
//   32  hash of the block the coins stand at       36  outpoint: txid, index (little-endian)   } for each
//    8  number of coins                             n  coin as in the database                  } coin
//    4  transactions of the chain up to that block
import { type FileHandle, open, rename, unlink } from 'node:fs/promises';
import { ByteWriter } from '../consensus/bytes/writer.js';
import { outpointOfCoinKey } from '../storage/layout.js';
import type { StoreCursor } from '../storage/store.js';
import type { HeaderNode } from './header-node.js';

/** Coins read and written at a time. */
const SLICE = 1_000;
/** Where the number of coins stands; it is known at the end. */
const COUNT_AT = 32;

/** The node stops: the dump was given up. */
export class DumpStoppedError extends Error {}

/**
 * Writes the coins of a view beside `path`, under a name that ends in `.incomplete`, and renames the file once the disk has it. What was
 * begun is removed when that fails.
 * @param cursor a view of exactly the coins, opened while they stood at `tip`; closed here
 * @param stopping asked every now and then
 * @returns how many there were
 * @throws DumpStoppedError, or the system's error when the file can't be written
 */
export async function dumpCoins(cursor: StoreCursor, tip: HeaderNode, path: string, stopping: () => boolean): Promise<number> {
  const incomplete = `${path}.incomplete`;
  let file: FileHandle | undefined;
  try {
    file = await open(incomplete, 'w');
    const coins = await writeCoins(cursor, tip, file, stopping);
    await file.sync();
    await file.close();
    await rename(incomplete, path);
    return coins;
  } catch (error) {
    if (file !== undefined) {
      await file.close().catch(() => {});
      await unlink(incomplete).catch(() => {});
    }
    throw error;
  } finally {
    await cursor.close();
  }
}

async function writeCoins(cursor: StoreCursor, tip: HeaderNode, file: FileHandle, stopping: () => boolean): Promise<number> {
  await file.writeFile(new ByteWriter(44).bytes(tip.hash).u64(0).u32(tip.chainTxCount).finish());
  let coins = 0;
  for (let rows = await cursor.next(SLICE); rows.length > 0; rows = await cursor.next(SLICE)) {
    if (stopping()) throw new DumpStoppedError('The dump of the unspent outputs was given up: the node stops');
    const slice = new ByteWriter(rows.length * 80);
    for (const [key, value] of rows) slice.bytes(outpointOfCoinKey(key)).bytes(value);
    await file.writeFile(slice.finish());
    coins += rows.length;
  }
  const count = new ByteWriter(8).u64(coins).finish();
  await file.write(count, 0, count.length, COUNT_AT);
  return coins;
}
