// Writes files with a whole wallet. A file gets its name only when it is complete and on disk. If the process dies
// before, the rest ends in `.incomplete` and blocks no later write.
import { randomBytes } from 'node:crypto';
import fs, { type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { syncFolder } from './wallet-folder.js';

/** Errors of file systems without hard links. */
const NO_LINKS: ReadonlySet<string | undefined> = new Set(['EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP', 'EMLINK']);

/** Renames a file to a name that must not exist. */
async function nameNew(from: string, to: string): Promise<void> {
  try {
    await fs.link(from, to);
    await fs.rm(from);
  } catch (error) {
    if (!NO_LINKS.has((error as NodeJS.ErrnoException).code)) throw error;
    // Reserves the name; the rename replaces this file.
    await fs.writeFile(to, '', { flag: 'wx', mode: 0o600 });
    await fs.rename(from, to);
  }
}

/**
 * Writes a file that only its owner can read.
 * @param replaces whether it may replace an existing file; otherwise that fails (EEXIST)
 * @param fill writes the content; if it throws, nothing is left
 */
export async function writeWholeFile(file: string, replaces: boolean, fill: (handle: FileHandle) => Promise<void>): Promise<void> {
  const incomplete = `${file}.${randomBytes(4).toString('hex')}.incomplete`;
  const handle = await fs.open(incomplete, 'wx', 0o600);
  try {
    await fill(handle);
    await handle.sync();
    await handle.close();
    await (replaces ? fs.rename(incomplete, file) : nameNew(incomplete, file));
  } catch (error) {
    await handle.close().catch(() => {});
    await fs.rm(incomplete, { force: true });
    throw error;
  }
  await syncFolder(path.dirname(file));
}
