import fs from 'node:fs';

/**
 * Returns the most files and sockets together that this process may have open; null if the system does not say. Node.js
 * has already raised the limit to the system's maximum.
 */
export function mostOpenFiles(): number | null {
  try {
    const line = /^Max open files +(\d+)/m.exec(fs.readFileSync('/proc/self/limits', 'utf8'));
    return line === null ? null : Number(line[1]);
  } catch {
    // Not Linux.
    return null;
  }
}
