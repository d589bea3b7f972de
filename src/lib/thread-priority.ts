// Priority of one thread relative to all others. Each function changes the thread that calls it.
import os from 'node:os';

/** The highest priority as a nice value. */
const HIGHEST = -20;

/**
 * Raises the priority of the calling thread. Only Linux keeps a nice value per thread (setpriority(2), notes).
 * Elsewhere the value belongs to the whole process, so nothing is done.
 * @param steps subtracted from the thread's nice value; negative steps lower the priority
 * @returns whether the system allowed it: root, CAP_SYS_NICE, or a limit (RLIMIT_NICE, systemd's LimitNICE) permits it
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
 * Creates a function that switches the calling thread between its current nice value and an urgent one. Only that
 * thread may call the function.
 * @param steps subtracted from the nice value while it is urgent
 */
export function createUrgency(steps: number): (urgent: boolean) => void {
  let taken = 0;
  return (urgent) => {
    if (urgent === taken > 0) return;
    const before = os.getPriority(0);
    // The system grants fewer steps near the end of the scale, and none without the permission.
    if (hurry(urgent ? steps : -taken)) taken = urgent ? before - os.getPriority(0) : 0;
  };
}
