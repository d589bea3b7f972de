// Files that hold a whole wallet: written beside their place, and there under their name only once they are complete
// and on the disk. What a process leaves that dies meanwhile ends in `.incomplete` and blocks no later write.
import { randomBytes } from 'node:crypto';
import fs, { type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { syncFolder } from './wallet-folder.js';

/** Links are unknown to some file systems. */
const NO_LINKS: ReadonlySet<string | undefined> = new Set(['EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP', 'EMLINK']);

/** Gives a file its name, which nothing may have. */
async function nameNew(from: string, to: string): Promise<void> {
  try {
    await fs.link(from, to);
    await fs.rm(from);
  } catch (error) {
    if (!NO_LINKS.has((error as NodeJS.ErrnoException).code)) throw error;
    // Only to keep the name: the rename replaces this.
    await fs.writeFile(to, '', { flag: 'wx', mode: 0o600 });
    await fs.rename(from, to);
  }
}

/**
 * Writes a file that only its owner reads.
 * @param replaces whether it takes the place of one that is there; without, that one stays and this fails (EEXIST)
 * @param fill writes what is in it; when it throws, nothing is left
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
