// The console of a command: stdout and stderr, which may fail at any line.

/**
 * Lets the process outlive its console. A console can fail at any line: its reader ended (EPIPE), the terminal is gone
 * (EIO), or the disk behind a redirection is full (ENOSPC). Such a line is lost, and the log file has it.
 */
export function outliveConsole(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
}
