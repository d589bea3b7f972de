// How urgent the operating system finds one thread beside all others. Called by thread entries about themselves.
import os from 'node:os';

/** Nice values end here. */
const HIGHEST = -20;

/**
 * Asks for the calling thread to be served before others. Linux alone keeps a nice value for each thread (setpriority(2), notes); elsewhere it
 * is the whole process's, so nothing is asked for.
 * @param steps taken from the thread's nice value
 * @returns whether it was granted: root, CAP_SYS_NICE or a limit (RLIMIT_NICE, systemd's LimitNICE) allow it
 */
export function hurry(steps: number): boolean {
  if (process.platform !== 'linux') return false;
  try {
    os.setPriority(0, Math.max(HIGHEST, os.getPriority(0) - steps));
    return true;
  } catch {
    return false;
  }
}
