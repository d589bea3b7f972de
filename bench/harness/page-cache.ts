// Removes files from the system's page cache, for benches of cold files.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

/**
 * Puts a folder's files out of the page cache. What a process has mapped stays in it.
 * @param suffix of the names, all files unless given
 * @throws Error where that can't be done
 */
export function forgetFiles(dir: string, suffix = ''): void {
  for (const entry of fs.readdirSync(dir, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !entry.name.endsWith(suffix)) continue;
    const file = path.join(entry.parentPath, entry.name);
    // A database that is at work may have removed it meanwhile; it is not to come back empty.
    const { status, stderr } = spawnSync('dd', [`of=${file}`, 'oflag=nocache', 'conv=nocreat,notrunc,fdatasync', 'count=0']);
    if (status !== 0 && fs.existsSync(file)) throw new Error(`${file} stays in the page cache: ${stderr ?? 'dd did not run'}`);
  }
}
