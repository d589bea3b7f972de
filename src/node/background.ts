// -daemon and -daemonwait: the command starts the node again as a process of its own, in a session without a terminal,
// and returns. Node.js cannot fork a process that has threads, as Core does; the result is the same for a shell, for
// systemd (Type=forking), and for scripts that read the pid file.
import { spawn } from 'node:child_process';
import fs from 'node:fs';

/** Tells the process in the background how its parent waits: `started` or `ready`. */
const VARIABLE = 'ADIT_BACKGROUND';
/** The descriptor on which the process in the background writes a byte when the node is up. */
const READY_FD = 3;

const role = process.env[VARIABLE];
// Commands that the node runs are not in its place.
delete process.env[VARIABLE];

/** Whether this process is the one in the background. */
export const inBackground = role !== undefined;

/** Tells a parent that waits (-daemonwait) that the node is up. */
export function reportReady(): void {
  if (role !== 'ready') return;
  try {
    fs.writeSync(READY_FD, '1');
    fs.closeSync(READY_FD);
  } catch {
    // The parent was killed; the node runs all the same.
  }
}

/**
 * Starts this command again in the background.
 * @param untilReady wait until the node is up, and show what the start writes to stderr until then
 * @param log where the reason of a failed start stands
 * @returns the exit status of this process
 */
export function startInBackground(untilReady: boolean, log: string): Promise<number> {
  process.stdout.write('adit starting\n');
  const child = spawn(process.execPath, [...process.execArgv, ...process.argv.slice(1)], {
    detached: true,
    stdio: untilReady ? ['ignore', 'ignore', 'pipe', 'pipe'] : 'ignore',
    env: { ...process.env, [VARIABLE]: untilReady ? 'ready' : 'started' },
  });
  return new Promise((resolve) => {
    child.once('error', (error) => {
      process.stderr.write(`Error: The node could not be started in the background: ${error.message}\n`);
      resolve(1);
    });
    if (!untilReady) {
      child.once('spawn', () => resolve(0));
      return;
    }
    child.stderr?.pipe(process.stderr);
    child.stdio[READY_FD]?.once('data', () => resolve(0));
    // Behind the last line of its stderr.
    child.once('close', () => {
      process.stderr.write(`Error during initialization - check ${log} for details\n`);
      resolve(1);
    });
  });
}
