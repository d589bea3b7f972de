// Writes files with a whole wallet. A file gets its name only when it is complete and on disk. If the process dies
// before, a file with the ending `.incomplete` is left, which does not prevent later writes.
import { randomBytes } from 'node:crypto';
import fs, { type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { syncFolder } from './wallet-folder.js';

/** Error codes with which file systems refuse hard links. */
const NO_LINKS: ReadonlySet<string | undefined> = new Set(['EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP', 'EMLINK']);

/** Renames a file to a name that must not exist. */
async function nameNew(from: string, to: string): Promise<void> {
  try {
    await fs.link(from, to);
    await fs.rm(from);
  } catch (error) {
    if (!NO_LINKS.has((error as NodeJS.ErrnoException).code)) throw error;
    // Create an empty file to reserve the name, because rename replaces existing files.
    await fs.writeFile(to, '', { flag: 'wx', mode: 0o600 });
    await fs.rename(from, to);
  }
}

/**
 * Writes a file that only its owner can read.
 * @param replaces true: replace an existing file; false: fail with EEXIST if there is one
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
