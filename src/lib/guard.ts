// Keeps exceptions of calls that Node makes by itself (signals, timers, streams of the console) away from the main path:
// nobody catches what is thrown there, and the node would end.

/** Returns a function that runs `task` and hands what it throws to `report`. */
export function guarded<Args extends unknown[]>(task: (...args: Args) => void, report: (error: Error) => void): (...args: Args) => void {
  return (...args) => {
    try {
      task(...args);
    } catch (error) {
      report(error instanceof Error ? error : new Error(String(error)));
    }
  };
}

/**
 * Lets the process outlive its console. A console can fail at any line: its reader ended (EPIPE), the terminal is gone
 * (EIO), or the disk behind a redirection is full (ENOSPC). Such a line is lost, and the log file has it.
 */
export function outliveConsole(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
}
