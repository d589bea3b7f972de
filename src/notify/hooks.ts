// Commands of the operator's (-blocknotify and its kin), run by the shell in processes of their own: nothing waits for
// them, a few run at a time, and a bounded number wait.
import { type ChildProcess, spawn } from 'node:child_process';
import type { Logger } from '../log/logger.js';

const mostRunning = 8;
/** Commands that wait unless the owner says otherwise. */
const usualWaiting = 256;

/** What a shell takes as one harmless word: Core's SanitizeString, in single quotes. */
export function quoted(text: string): string {
  return `'${text.replace(/[^a-zA-Z0-9 .,;\-_/:?@()]/g, '')}'`;
}

export class Hooks {
  readonly #log: Logger;
  readonly #waiting: { name: string; command: string }[] = [];
  readonly #running = new Set<ChildProcess>();
  #dropped = 0;
  #closed = false;
  readonly #mostWaiting: number;

  /** @param mostWaiting beyond it the oldest are left out */
  constructor(log: Logger, mostWaiting: number = usualWaiting) {
    this.#mostWaiting = mostWaiting;
    this.#log = log;
  }

  /** Runs a command with every %s replaced. @param value hex, or quoted() */
  run(name: string, command: string, value = ''): void {
    if (this.#closed) return;
    if (this.#waiting.length >= this.#mostWaiting) {
      this.#waiting.shift();
      if (this.#dropped++ === 0) this.#log.warn(`-${name}: commands take longer than they come; the oldest ones are left out`);
    }
    this.#waiting.push({ name, command: command.replaceAll('%s', value) });
    this.#next();
  }

  /** Drops what waits, leaves what runs to itself and takes nothing more. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#waiting.length = 0;
    for (const child of this.#running) child.unref();
    this.#running.clear();
  }

  #next(): void {
    while (this.#running.size < mostRunning) {
      const job = this.#waiting.shift();
      if (!job) return;
      const child = spawn(job.command, { shell: true, stdio: 'ignore', detached: true });
      this.#running.add(child);
      const over = (problem: string | null): void => {
        if (!this.#running.delete(child)) return;
        if (problem !== null) this.#log.info(`runCommand error: system(${job.command}) returned ${problem}`);
        this.#next();
      };
      child.once('error', (error) => over(error.message));
      child.once('exit', (code, signal) => over(code === 0 ? null : String(code ?? signal)));
    }
  }
}
