// Priority of a worker thread beside the other threads of the process. Called by the entries of threads that work in bulk.
import os from 'node:os';

/** Added to what the process was started with: a third of the weight of its other threads when processors are short. */
const BULK_NICENESS = 5;
const NICEST = 19;

/**
 * Lets threads that somebody waits for go first: a front that has to send a template, the node thread. Only Linux knows priorities of
 * single threads (who = 0 is the calling thread, setpriority(2)); elsewhere this would slow the whole process, so it does nothing.
 */
export function yieldToOthers(platform: NodeJS.Platform = process.platform): void {
  if (platform !== 'linux') return;
  try {
    os.setPriority(Math.min(NICEST, os.getPriority() + BULK_NICENESS));
  } catch {
    // A sandbox may forbid it; the thread then works as it is.
  }
}
