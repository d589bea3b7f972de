// Replaces a file as a whole: a reader finds the old one or the new one, also after a loss of power between. For small records of state
// beside the database (saved pool, fee estimates).
import { type FileHandle, open as openFile, rename, rm } from 'node:fs/promises';
import { assertWriting } from './write-stop.js';

/** How the new file is opened: node:fs/promises' open, or something between it and the disk. */
type Opener = (path: string, flags: string, mode?: number) => Promise<FileHandle>;

/** Writes the pieces to `<path>.new`, then renames it. Rejects with the system's error and leaves the old file as it was. */
export async function replaceFile(path: string, pieces: Iterable<Uint8Array>, open: Opener = openFile): Promise<void> {
  assertWriting(`write ${path}`);
  const temporary = `${path}.new`;
  const handle = await open(temporary, 'w', 0o600);
  try {
    try {
      for (const piece of pieces) await handle.writeFile(piece);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}
