// A wallet as one file: a head, every row of a consistent view, and the SHA-256 of all before. Written beside its place and renamed.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import fs from 'node:fs/promises';
import type { BatchOp, Store } from '../../storage/store.js';
import { isOfImage } from '../storage/layout.js';
import { writeWholeFile } from '../storage/whole-file.js';

const MAGIC = new TextEncoder().encode('adit wallet backup 1\n');
const DIGEST = 32;
const ROWS = 1000;
const MAX_ROW = 64 << 20;

function frame(key: Uint8Array, value: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(8 + key.length + value.length);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, key.length);
  view.setUint32(4, value.length);
  bytes.set(key, 8);
  bytes.set(value, 8 + key.length);
  return bytes;
}

/** @param file its folder exists; an existing file is replaced */
export function writeBackup(store: Store, file: string): Promise<void> {
  return writeWholeFile(file, true, async (handle) => {
    const hash = createHash('sha256');
    const cursor = store.cursor();
    try {
      const write = async (bytes: Uint8Array): Promise<void> => {
        hash.update(bytes);
        await handle.writeFile(bytes);
      };
      await write(MAGIC);
      for (let entries = await cursor.next(ROWS); entries.length > 0; entries = await cursor.next(ROWS)) {
        const rows = entries.filter(([key]) => !isOfImage(key));
        await write(Buffer.concat(rows.map(([key, value]) => frame(key, value))));
      }
      await handle.writeFile(hash.digest());
    } finally {
      await cursor.close();
    }
  });
}

/** Whether a file is a whole, unchanged backup. */
export async function checkBackup(file: string): Promise<boolean> {
  const { size } = await fs.stat(file);
  if (size < MAGIC.length + DIGEST) return false;
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(file, { end: size - DIGEST - 1 })) hash.update(chunk as Buffer);
  const handle = await fs.open(file, 'r');
  try {
    const head = Buffer.alloc(MAGIC.length);
    await handle.read(head, 0, head.length, 0);
    const digest = Buffer.alloc(DIGEST);
    await handle.read(digest, 0, DIGEST, size - DIGEST);
    return Buffer.compare(head, MAGIC) === 0 && Buffer.compare(digest, hash.digest()) === 0;
  } finally {
    await handle.close();
  }
}

/** Writes a checked backup's rows into an empty store. */
export async function readBackup(file: string, store: Store): Promise<void> {
  const { size } = await fs.stat(file);
  const handle = await fs.open(file, 'r');
  try {
    let at = MAGIC.length;
    let ops: BatchOp[] = [];
    while (at + 8 <= size - DIGEST) {
      const head = Buffer.alloc(8);
      await handle.read(head, 0, 8, at);
      const keySize = head.readUInt32BE(0);
      const valueSize = head.readUInt32BE(4);
      if (keySize + valueSize > MAX_ROW || at + 8 + keySize + valueSize > size - DIGEST) throw new Error('a row reaches over the end');
      const body = new Uint8Array(keySize + valueSize);
      await handle.read(body, 0, body.length, at + 8);
      ops.push({ type: 'put', key: body.subarray(0, keySize), value: body.subarray(keySize) });
      at += 8 + body.length;
      if (ops.length < ROWS) continue;
      await store.batch(ops);
      ops = [];
    }
    await store.batch(ops, { sync: true });
  } finally {
    await handle.close();
  }
}
