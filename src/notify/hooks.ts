// Commands of the operator's (-blocknotify and its kin), run by the shell in processes of their own. Core gives each a
// thread, without a bound. Here each kind of command has bounds of its own, so that commands that hang hold up no other.
import { type ChildProcess, spawn } from 'node:child_process';
import type { Logger } from '../log/logger.js';

/** Bounds of one kind of command. */
export interface HookLimits {
  /** Quick commands that run at once. */
  readonly quick: number;
  /** A command that has run for this long counts as slow, and no longer against `quick`. */
  readonly slowMs: number;
  /** Commands that run at once, slow ones included. */
  readonly running: number;
  /** Commands that wait to run; beyond it the oldest are left out. */
  readonly waiting: number;
}

/** For what happens a few times a minute. A shell that hangs takes about 1 MB. */
const USUAL_LIMITS: HookLimits = { quick: 64, slowMs: 5_000, running: 512, waiting: 256 };

/** What a shell takes as one harmless word: Core's SanitizeString, in single quotes. */
export function quoted(text: string): string {
  return `'${text.replace(/[^a-zA-Z0-9 .,;\-_/:?@()]/g, '')}'`;
}

/**
 * Starts a command. Some failures to start are exceptions of spawn, such as a lack of memory; others are events.
 * @param ended is called once after this returns, when the command has ended or could not be started
 * @returns null when spawn threw
 */
function start(command: string, log: Logger, ended: () => void): ChildProcess | null {
  let child: ChildProcess;
  try {
    child = spawn(command, { shell: true, stdio: 'ignore', detached: true });
  } catch (error) {
    log.info(`runCommand error: system(${command}) returned ${(error as Error).message}`);
    return null;
  }
  let over = false;
  const end = (problem: string | null): void => {
    if (over) return;
    over = true;
    if (problem !== null) log.info(`runCommand error: system(${command}) returned ${problem}`);
    ended();
  };
  child.once('error', (error) => end(error.message));
  child.once('exit', (code, signal) => end(code === 0 ? null : String(code ?? signal)));
  return child;
}

/** Runs commands all at once, and waits for the last one. */
export async function runCommands(commands: readonly string[], log: Logger): Promise<void> {
  await Promise.all(commands.map((command) => new Promise<void>((resolve) => start(command, log, resolve) ?? resolve())));
}

/** The commands of one kind. */
class HookQueue {
  readonly #name: string;
  readonly #log: Logger;
  readonly #limits: HookLimits;
  readonly #waiting: string[] = [];
  readonly #running = new Map<ChildProcess, NodeJS.Timeout>();
  #slow = 0;
  #dropped = 0;

  constructor(name: string, log: Logger, limits: HookLimits) {
    this.#name = name;
    this.#log = log;
    this.#limits = limits;
  }

  run(command: string): void {
    this.#waiting.push(command);
    this.#next();
    if (this.#waiting.length <= this.#limits.waiting) return;
    const left = this.#waiting.shift();
    if (this.#dropped++ > 0) return;
    this.#log.warn(
      `-${this.#name}: ${this.#running.size} commands are running and ${this.#waiting.length} are waiting; the oldest ones are left out, first: ${left}`,
    );
  }

  close(): void {
    this.#waiting.length = 0;
    for (const [child, timer] of this.#running) {
      clearTimeout(timer);
      child.unref();
    }
  }

  #next(): void {
    const { quick, running, slowMs } = this.#limits;
    while (this.#running.size - this.#slow < quick && this.#running.size < running) {
      const command = this.#waiting.shift();
      if (command === undefined) {
        this.#sayDropped();
        return;
      }
      let slow = false;
      const child = start(command, this.#log, () => {
        clearTimeout(timer);
        if (child !== null) this.#running.delete(child);
        if (slow) this.#slow--;
        this.#next();
      });
      if (child === null) continue;
      const timer = setTimeout(() => {
        slow = true;
        this.#slow++;
        this.#next();
      }, slowMs).unref();
      this.#running.set(child, timer);
    }
  }

  /** No command waits any more. */
  #sayDropped(): void {
    if (this.#dropped === 0) return;
    this.#log.warn(`-${this.#name}: ${this.#dropped} commands were left out`);
    this.#dropped = 0;
  }
}

export class Hooks {
  readonly #log: Logger;
  readonly #limits: HookLimits;
  readonly #queues = new Map<string, HookQueue>();
  #closed = false;

  /** @param limits where they differ from the usual ones */
  constructor(log: Logger, limits: Partial<HookLimits> = {}) {
    this.#log = log;
    this.#limits = { ...USUAL_LIMITS, ...limits };
  }

  /** Runs a command with every %s replaced. @param name the option; each has a queue of its own @param value hex, or quoted() */
  run(name: string, command: string, value = ''): void {
    if (this.#closed) return;
    let queue = this.#queues.get(name);
    if (queue === undefined) this.#queues.set(name, (queue = new HookQueue(name, this.#log, this.#limits)));
    queue.run(command.replaceAll('%s', value));
  }

  /** Drops what waits, leaves what runs to itself, and takes nothing more. */
  close(): void {
    this.#closed = true;
    for (const queue of this.#queues.values()) queue.close();
  }
}
