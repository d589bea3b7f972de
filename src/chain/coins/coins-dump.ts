// Writes all unspent outputs to a file, in the format of Core 0.21's snapshots or in that of releases since 28. Only
// one slice of coins and the coins of one transaction are in memory at a time.
//
//   0.21:  32  hash of the block the coins stand at       36  outpoint: txid, index (little-endian)   } for each
//           8  number of coins                             n  coin as in the database                  } coin
//           4  transactions of the chain up to that block
//
//   28:     5  "utxo", 0xff                               32  txid                                     } for each
//           2  version 2                                   c  number of its coins                      } transaction
//           4  message start of the network                c  index, n coin, for each of them          } with coins
//          32  hash of the block the coins stand at
//           8  number of coins                            (c: a compact size)
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { equalBytes } from '../../consensus/bytes/hex.js';
import { readU32 } from '../../consensus/bytes/reader.js';
import { ByteWriter } from '../../consensus/bytes/writer.js';
import type { Coin } from '../../consensus/coin.js';
import type { Hashes } from '../../crypto/crypto.js';
import { decodeCoin } from '../../storage/codec/coin.js';
import { coinElement } from '../../storage/codec/coin-element.js';
import { outpointOfCoinKey } from '../../storage/layout.js';
import type { StoreCursor } from '../../storage/store.js';
import type { HeaderNode } from '../tree/header-node.js';

/** Number of coins read and written at a time. */
const SLICE = 1_000;
export const SNAPSHOT_MAGIC: Uint8Array = Uint8Array.of(0x75, 0x74, 0x78, 0x6f, 0xff);
export const SNAPSHOT_VERSION = 2;
/** Size of the header in bytes. */
export const SNAPSHOT_HEAD_BYTES = 51;

/** Thrown if the node stops during a dump. */
export class DumpStoppedError extends Error {}

/** Format of a dump file with its parameters. */
export type DumpForm =
  | { readonly form: '0.21' }
  /** `magic` is the message start of the network. */
  | { readonly form: '28'; readonly magic: Uint8Array; readonly hashes: Hashes };

/** Result of a dump. */
export interface DumpedCoins {
  readonly coins: number;
  /** Core's hash_serialized_3: sha256d over all coins as set elements, internal order; null for the 0.21 format. */
  readonly hash: Uint8Array | null;
}

/**
 * Writes the coins of a cursor to a file next to `path` whose name ends in `.incomplete`. Renames the file after fsync,
 * and deletes it after a failure.
 * @param cursor cursor over exactly the coins at `tip`; closed by this function
 * @param stopping checked between slices
 * @throws DumpStoppedError, or the system's error if the file cannot be written
 */
export async function dumpCoins(
  cursor: StoreCursor,
  tip: HeaderNode,
  path: string,
  form: DumpForm,
  stopping: () => boolean,
): Promise<DumpedCoins> {
  const incomplete = `${path}.incomplete`;
  let file: FileHandle | undefined;
  try {
    // Remove a file left by an earlier run instead of opening it: it may be a link.
    await rm(incomplete, { force: true });
    file = await open(incomplete, 'wx');
    const dumped =
      form.form === '0.21' ? await writeFlat(cursor, tip, file, stopping) : await writeGrouped(cursor, tip, file, form, stopping);
    await file.sync();
    await file.close();
    await rename(incomplete, path);
    return dumped;
  } catch (error) {
    if (file !== undefined) {
      await file.close().catch(() => {});
      await rm(incomplete, { force: true });
    }
    throw error;
  } finally {
    await cursor.close();
  }
}

/**
 * Yields the rows of a cursor in slices.
 * @throws DumpStoppedError
 */
async function* slices(cursor: StoreCursor, stopping: () => boolean) {
  for (let rows = await cursor.next(SLICE); rows.length > 0; rows = await cursor.next(SLICE)) {
    if (stopping()) throw new DumpStoppedError('The dump of the UTXO set was interrupted because the node is shutting down');
    yield rows;
  }
}

/** Writes the number of coins into the header after all coins were written. */
async function writeCount(file: FileHandle, coins: number, at: number): Promise<void> {
  const count = new ByteWriter(8).u64(coins).finish();
  await file.write(count, 0, count.length, at);
}

async function writeFlat(cursor: StoreCursor, tip: HeaderNode, file: FileHandle, stopping: () => boolean): Promise<DumpedCoins> {
  await file.writeFile(new ByteWriter(44).bytes(tip.hash).u64(0).u32(tip.chainTxCount).finish());
  let coins = 0;
  for await (const rows of slices(cursor, stopping)) {
    const slice = new ByteWriter(rows.length * 80);
    for (const [key, value] of rows) slice.bytes(outpointOfCoinKey(key)).bytes(value);
    await file.writeFile(slice.finish());
    coins += rows.length;
  }
  await writeCount(file, coins, tip.hash.length);
  return { coins, hash: null };
}

async function writeGrouped(
  cursor: StoreCursor,
  tip: HeaderNode,
  file: FileHandle,
  { magic, hashes }: Extract<DumpForm, { form: '28' }>,
  stopping: () => boolean,
): Promise<DumpedCoins> {
  const head = new ByteWriter(SNAPSHOT_HEAD_BYTES).bytes(SNAPSHOT_MAGIC).u16(SNAPSHOT_VERSION).bytes(magic).bytes(tip.hash);
  const countAt = head.size;
  await file.writeFile(head.u64(0).finish());
  const hash = hashes.sha256Stream();
  let coins = 0;
  // Coins of the current transaction. They are buffered because their number precedes them in the file.
  let txid: Uint8Array | null = null;
  let held = new ByteWriter();
  let count = 0;
  const endTransaction = (out: ByteWriter): void => {
    if (txid !== null) out.bytes(txid).compactSize(count).bytes(held.finish());
    held = new ByteWriter();
    count = 0;
  };
  for await (const rows of slices(cursor, stopping)) {
    const out = new ByteWriter(rows.length * 80);
    for (const [key, value] of rows) {
      const outpoint = outpointOfCoinKey(key);
      const id = outpoint.subarray(0, 32);
      if (txid === null || !equalBytes(txid, id)) {
        endTransaction(out);
        txid = id;
      }
      held.compactSize(readU32(outpoint, 32)).bytes(value);
      count++;
      hash.update(coinElement(outpoint, decodeCoin(value) as Coin));
    }
    await file.writeFile(out.finish());
    coins += rows.length;
  }
  const last = new ByteWriter();
  endTransaction(last);
  await file.writeFile(last.finish());
  await writeCount(file, coins, countAt);
  return { coins, hash: hashes.sha256(hash.digest()) };
}
