// Implements -daemon and -daemonwait: starts the same command again as a detached process without a terminal, and returns.
// Core forks, which Node.js cannot do. Shells, systemd (Type=forking) and scripts that read the pid file see no difference.
import { spawn } from 'node:child_process';
import fs from 'node:fs';

/** Environment variable that tells the background process what its parent waits for: `started` or `ready`. */
const VARIABLE = 'ADIT_BACKGROUND';
/** File descriptor to which the background process writes a byte when the node is up. */
const READY_FD = 3;

const role = process.env[VARIABLE];
// Commands that the node runs must not inherit the variable.
delete process.env[VARIABLE];

/** True in the background process. */
export const inBackground = role !== undefined;

/** Tells a parent that waits (-daemonwait) that the node is up. */
export function reportReady(): void {
  if (role !== 'ready') return;
  try {
    fs.writeSync(READY_FD, '1');
    fs.closeSync(READY_FD);
  } catch {
    // The parent was killed. The node keeps running.
  }
}

/**
 * Starts this command again in the background.
 * @param untilReady wait until the node is up, and show what the start writes to stderr until then
 * @param log path of the log, for the message about a failed start
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
    // 'close' comes after the last line of the child's stderr.
    child.once('close', () => {
      process.stderr.write(`Error during initialization - check ${log} for details\n`);
      resolve(1);
    });
  });
}
