// Files and names that outlast a loss of power. fsync of a file keeps its bytes; its name is an entry of its folder,
// which is synced by itself. For small files; large ones are written by src/storage.
import fs from 'node:fs';
import { type FileHandle, open as openFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';

/** Writes a folder's names to the disk. Windows and some file systems cannot, and keep them by themselves. */
export function syncFolder(folder: string): void {
  let handle: number;
  try {
    handle = fs.openSync(folder, 'r');
  } catch {
    return;
  }
  try {
    fs.fsyncSync(handle);
  } catch {
    // See above.
  } finally {
    fs.closeSync(handle);
  }
}

/**
 * Puts a file that only its owner may read into the place of what is there: after a loss of power it is the old one or
 * the new one, whole. On the disk when this returns.
 * @param temporary what it is called until then
 * @throws the system's error, the old file as it was
 */
export function replaceFileSync(file: string, data: string | Uint8Array, temporary = `${file}.new`): void {
  // One that was left behind may have another mode, or be a link.
  fs.rmSync(temporary, { force: true });
  const handle = fs.openSync(temporary, 'wx', 0o600);
  try {
    fs.writeFileSync(handle, data);
    fs.fsyncSync(handle);
  } finally {
    fs.closeSync(handle);
  }
  fs.renameSync(temporary, file);
  syncFolder(path.dirname(file));
}

/** How a file is opened: node:fs/promises' open, or something between it and the disk. */
type Opener = (path: string, flags: string, mode?: number) => Promise<FileHandle>;

/**
 * The same in the disk's own time, from `<path>.new`, without waiting for the name: a reader finds the old file or the
 * new one, also after a loss of power between. Two at once for one file are not allowed. Rejects with the system's
 * error and leaves the old file as it was.
 */
export async function replaceFile(file: string, pieces: Iterable<Uint8Array>, open: Opener = openFile): Promise<void> {
  const temporary = `${file}.new`;
  // One that was left behind may have another mode, or be a link.
  await rm(temporary, { force: true });
  const handle = await open(temporary, 'wx', 0o600);
  try {
    try {
      for (const piece of pieces) await handle.writeFile(piece);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/**
 * Makes a folder for its owner alone, with all that is missing above it; what was made is on the disk when this
 * returns.
 */
export function makeFolders(folder: string): void {
  const first = fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  for (let made = path.resolve(folder); made.length >= first.length; made = path.dirname(made)) syncFolder(path.dirname(made));
}
