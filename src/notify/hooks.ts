// Runs the operator's commands (-blocknotify and similar options) by the shell. Core uses a thread per command, without a
// limit. Here each option has its own limits, so that hanging commands do not delay those of other options.
import { type ChildProcess, spawn } from 'node:child_process';
import type { Logger } from '../log/logger.js';

/** Limits for the commands of one option. */
export interface HookLimits {
  /** Maximum number of commands that run at once, without slow ones. */
  readonly quick: number;
  /** Running time after which a command is slow and no longer counts against `quick`. */
  readonly slowMs: number;
  /** Maximum number of commands that run at once, including slow ones. */
  readonly running: number;
  /** Maximum number of commands that wait. If more arrive, the oldest are dropped. */
  readonly waiting: number;
}

/** Limits for events that happen a few times a minute. A hanging shell takes about 1 MB. */
const USUAL_LIMITS: HookLimits = { quick: 64, slowMs: 5_000, running: 512, waiting: 256 };

/** Quotes a text as one harmless shell word: Core's SanitizeString, in single quotes. */
export function quoted(text: string): string {
  return `'${text.replace(/[^a-zA-Z0-9 .,;\-_/:?@()]/g, '')}'`;
}

/**
 * Starts a command. spawn reports some failures, such as a lack of memory, by an exception, and others by an event.
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

/** Runs all commands at once, and waits until all have ended. */
export async function runCommands(commands: readonly string[], log: Logger): Promise<void> {
  await Promise.all(commands.map((command) => new Promise<void>((resolve) => start(command, log, resolve) ?? resolve())));
}

/** Commands of one option. */
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
      `-${this.#name}: ${this.#running.size} commands are running and ${this.#waiting.length} are waiting. The node drops the oldest ones, first: ${left}. Check whether the command hangs.`,
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
        this.#logDropped();
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

  /** Logs how many commands were dropped, once none waits. */
  #logDropped(): void {
    if (this.#dropped === 0) return;
    this.#log.warn(`-${this.#name}: ${this.#dropped} commands were dropped because too many were running.`);
    this.#dropped = 0;
  }
}

export class Hooks {
  readonly #log: Logger;
  readonly #limits: HookLimits;
  readonly #queues = new Map<string, HookQueue>();
  #closed = false;

  /** @param limits of options that differ from the usual ones */
  constructor(log: Logger, limits: Partial<HookLimits> = {}) {
    this.#log = log;
    this.#limits = { ...USUAL_LIMITS, ...limits };
  }

  /** Runs a command after replacing every %s. @param name the option, which selects the queue @param value hex, or quoted() */
  run(name: string, command: string, value = ''): void {
    if (this.#closed) return;
    let queue = this.#queues.get(name);
    if (queue === undefined) this.#queues.set(name, (queue = new HookQueue(name, this.#log, this.#limits)));
    queue.run(command.replaceAll('%s', value));
  }

  /** Drops waiting commands and accepts no more. Running commands continue. */
  close(): void {
    this.#closed = true;
    for (const queue of this.#queues.values()) queue.close();
  }
}
