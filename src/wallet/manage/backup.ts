// Writes and reads backups: a magic, every row of a consistent view, and the SHA-256 of everything before it. The file
// is written under another name and then renamed.
import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { openFile } from '../../lib/open-file.js';
import type { BatchOp, Store } from '../../storage/store.js';
import { isCoreFile } from '../core/read-core-wallet.js';
import { isOfImage } from '../storage/layout.js';
import { writeWholeFile } from '../storage/whole-file.js';

const DAMAGED = 'is damaged: its checksum does not match';
/** Bytes at the beginning of a file that identify a Core wallet. */
const CORE_HEAD = 100;
const MAGIC = new TextEncoder().encode('adit wallet backup 1\n');
const DIGEST = 32;
const ROWS = 1000;
const MAX_ROW = 64 << 20;
/** Number of bytes of a backup that a restore reads, and writes as rows, in one step. */
const CHUNK = 256 << 10;

function frame(key: Uint8Array, value: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(8 + key.length + value.length);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, key.length);
  view.setUint32(4, value.length);
  bytes.set(key, 8);
  bytes.set(value, 8 + key.length);
  return bytes;
}

/** Returns the value to write for a row; null to leave the row out of the file. */
export type RowFilter = (key: Uint8Array, value: Uint8Array) => Uint8Array | null;

const whole: RowFilter = (key, value) => (isOfImage(key) ? null : value);

/**
 * Writes a backup.
 * @param file path in an existing folder
 * @param filter for a partial copy; absent: a backup of all rows. A backup may replace an existing file, a partial copy
 *   may not (EEXIST)
 */
export function writeBackup(store: Store, file: string, filter: RowFilter = whole): Promise<void> {
  return writeWholeFile(file, filter === whole, async (handle) => {
    const hash = createHash('sha256');
    const cursor = store.cursor();
    try {
      const write = async (bytes: Uint8Array): Promise<void> => {
        hash.update(bytes);
        await handle.writeFile(bytes);
      };
      await write(MAGIC);
      for (let entries = await cursor.next(ROWS); entries.length > 0; entries = await cursor.next(ROWS)) {
        const frames = entries.flatMap(([key, value]) => {
          const copied = filter(key, value);
          return copied === null ? [] : [frame(key, copied)];
        });
        await write(Buffer.concat(frames));
      }
      await handle.writeFile(hash.digest());
    } finally {
      await cursor.close();
    }
  });
}

/**
 * Writes a backup's rows into an empty store. The file is read once, because another program may replace or rewrite it
 * meanwhile, and the checksum must cover the bytes that became rows.
 * @returns null, or why the file is not a complete backup, as the rest of a sentence "FILE ...". In that case the store
 *   already has some of the rows
 */
export async function readBackup(file: string, store: Store): Promise<string | null> {
  const handle = await openFile(file);
  try {
    const { size } = await handle.stat();
    const end = size - DIGEST;
    const hash = createHash('sha256');
    const head = await bytesAt(handle, 0, Math.max(MAGIC.length, CORE_HEAD));
    if (isCoreFile(head)) return 'is a wallet file of Bitcoin Core: use importcorewallet';
    const magic = head.subarray(0, MAGIC.length);
    if (Buffer.compare(magic, MAGIC.subarray(0, magic.length)) !== 0) return 'is not a backup of adit';
    if (end < MAGIC.length) return `ends early, at byte ${size}`;
    hash.update(magic);
    let rest = Buffer.alloc(0);
    for (let at = MAGIC.length; at < end; at += CHUNK) {
      const chunk = await bytesAt(handle, at, Math.min(CHUNK, end - at));
      hash.update(chunk);
      const bytes = Buffer.concat([rest, chunk]);
      const { ops, used } = rowsIn(bytes);
      if (bytes.length - used > MAX_ROW) return DAMAGED;
      await store.batch(ops);
      rest = bytes.subarray(used);
    }
    const digest = await bytesAt(handle, end, DIGEST);
    if (rest.length > 0) return `ends early, at byte ${size}, or is damaged before that`;
    if (Buffer.compare(digest, hash.digest()) !== 0) return DAMAGED;
    await store.batch([], { sync: true });
    return null;
  } finally {
    await handle.close();
  }
}

/** Reads bytes of a file; fewer at the end of the file. */
async function bytesAt(handle: FileHandle, at: number, count: number): Promise<Buffer> {
  const bytes = Buffer.alloc(count);
  let got = 0;
  while (got < count) {
    const { bytesRead } = await handle.read(bytes, got, count - got, at + got);
    if (bytesRead === 0) break;
    got += bytesRead;
  }
  return bytes.subarray(0, got);
}

/** Returns the complete rows at the beginning of the bytes, and the number of bytes that they use. */
function rowsIn(bytes: Buffer): { ops: BatchOp[]; used: number } {
  const ops: BatchOp[] = [];
  let used = 0;
  while (used + 8 <= bytes.length) {
    const keyAt = used + 8;
    const valueAt = keyAt + bytes.readUInt32BE(used);
    const end = valueAt + bytes.readUInt32BE(used + 4);
    if (end > bytes.length || valueAt === keyAt) break;
    ops.push({ type: 'put', key: bytes.subarray(keyAt, valueAt), value: bytes.subarray(valueAt, end) });
    used = end;
  }
  return { ops, used };
}
