// Keeps a process alive when stdout or stderr fail.

/**
 * Ignores errors of stdout and stderr: the reader has closed the pipe (EPIPE), the terminal is gone (EIO), or the disk
 * behind a redirection is full (ENOSPC). The console loses the line; the log file still has it.
 */
export function outliveConsole(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
}
