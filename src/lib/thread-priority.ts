// How urgent the operating system finds one thread beside all others. Called by thread entries about themselves.
import os from 'node:os';

/** Nice values end here. */
const HIGHEST = -20;

/**
 * Asks for the calling thread to be served before others. Linux alone keeps a nice value for each thread
 * (setpriority(2), notes); elsewhere it is the whole process's, so nothing is asked for.
 * @param steps taken from the thread's nice value; negative ones are given back
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

/**
 * Makes a switch between the calling thread's nice value as it is now and an urgent one. To be called by that thread
 * alone.
 * @param steps taken while it is urgent
 */
export function createUrgency(steps: number): (urgent: boolean) => void {
  let taken = 0;
  return (urgent) => {
    if (urgent === taken > 0) return;
    const before = os.getPriority(0);
    // Fewer than asked for near the end of the scale; without the right to, none.
    if (hurry(urgent ? steps : -taken)) taken = urgent ? before - os.getPriority(0) : 0;
  };
}
