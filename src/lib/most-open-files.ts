// How many files and sockets the system lets this process have at once.
import fs from 'node:fs';

/**
 * The bound, files and sockets together; null where the system does not say. Node has raised it to what the system
 * allows at most.
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
