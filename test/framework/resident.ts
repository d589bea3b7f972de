// Memory of a process, from the kernel.
import fs from 'node:fs';

/** Returns the resident memory of a process in megabytes. */
export function residentMb(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(fs.readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024;
}
