// Writes small files and folders that survive a loss of power. fsync of a file makes its bytes durable. Its name is an
// entry of its folder, which needs an fsync of its own. src/storage writes large files.
import fs from 'node:fs';
import { type FileHandle, open as openFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';

/** Makes the names in a folder durable. Does nothing on Windows and on file systems that cannot sync a folder. */
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
    // Ignore the error: this file system cannot sync a folder.
  } finally {
    fs.closeSync(handle);
  }
}

/**
 * Replaces a file atomically and durably: after a loss of power it has either its old or its new content. Only the
 * owner may read the new file.
 * @param temporary path of the new file until it is renamed
 * @throws the system's error; the old file is unchanged then
 */
export function replaceFileSync(file: string, data: string | Uint8Array, temporary = `${file}.new`): void {
  // A leftover file may have another mode, or be a link.
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

/** Function that opens a file: open of node:fs/promises, or a test's replacement. */
type Opener = (path: string, flags: string, mode?: number) => Promise<FileHandle>;

/**
 * Replaces a file asynchronously, through `<path>.new`. Does not wait until the new name is durable: after a loss of
 * power a reader finds either the old or the new file. Callers must not replace one file twice at the same time.
 * Rejects with the system's error; the old file is unchanged then.
 */
export async function replaceFile(file: string, pieces: Iterable<Uint8Array>, open: Opener = openFile): Promise<void> {
  const temporary = `${file}.new`;
  // A leftover file may have another mode, or be a link.
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

/** Creates a folder and its missing parents, accessible by the owner alone, and makes them durable. */
export function makeFolders(folder: string): void {
  const first = fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  for (let made = path.resolve(folder); made.length >= first.length; made = path.dirname(made)) syncFolder(path.dirname(made));
}
