// What has been read of files stays in the system's memory; benches of cold files put it out.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

/**
 * Puts a folder's files out of the page cache. What a process has mapped stays in it.
 * @param suffix of the names, all files unless given
 */
export function forgetFiles(dir: string, suffix = ''): void {
  for (const entry of fs.readdirSync(dir, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !entry.name.endsWith(suffix)) continue;
    const file = path.join(entry.parentPath, entry.name);
    spawnSync('dd', [`of=${file}`, 'oflag=nocache', 'conv=notrunc,fdatasync', 'count=0']);
  }
}
