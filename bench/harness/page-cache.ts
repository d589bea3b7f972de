// Removes files from the system's page cache, for benches that read from the disk.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

/**
 * Removes the files of a folder from the page cache. Parts that a process has mapped stay in it.
 * @param suffix only files whose names end with it; default: all files
 * @throws Error if a file cannot be removed from the cache
 */
export function forgetFiles(dir: string, suffix = ''): void {
  for (const entry of fs.readdirSync(dir, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !entry.name.endsWith(suffix)) continue;
    const file = path.join(entry.parentPath, entry.name);
    // A running database may have deleted the file meanwhile. The option nocreat keeps dd from creating an empty file
    // in its place.
    const { status, stderr } = spawnSync('dd', [`of=${file}`, 'oflag=nocache', 'conv=nocreat,notrunc,fdatasync', 'count=0']);
    if (status !== 0 && fs.existsSync(file)) throw new Error(`${file} stays in the page cache: ${stderr ?? 'dd did not run'}`);
  }
}
