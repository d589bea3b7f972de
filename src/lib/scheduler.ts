// Runs recurring tasks. They are in one place so that mockscheduler can make them due. The timers do not keep the
// process alive.

import type { ListenerGuard } from './listener-guard.js';

interface Task {
  dueMs: number;
  readonly everyMs: number;
  readonly run: () => void;
}

/** Runs recurring tasks. A task that throws runs again when it is next due. */
export class Scheduler {
  readonly #tasks: Task[] = [];
  readonly #guard: ListenerGuard;
  #skippedMs = 0;
  #timer: NodeJS.Timeout | undefined;

  /** @param guard handles exceptions of tasks */
  constructor(guard: ListenerGuard) {
    this.#guard = guard;
  }

  /** Calls `run` every `everyMs` milliseconds until close. */
  every(everyMs: number, run: () => void): void {
    this.#tasks.push({ dueMs: this.#now() + everyMs, everyMs, run: this.#guard.wrap('recurring task', run) });
    this.#arm();
  }

  /** Advances the scheduler's time and runs the tasks that became due. */
  advance(seconds: number): void {
    this.#skippedMs += seconds * 1000;
    this.#runDue();
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#tasks.length = 0;
  }

  #now(): number {
    return performance.now() + this.#skippedMs;
  }

  #runDue(): void {
    const now = this.#now();
    for (const task of this.#tasks) {
      if (task.dueMs > now) continue;
      task.dueMs = now + task.everyMs;
      task.run();
    }
    this.#arm();
  }

  #arm(): void {
    clearTimeout(this.#timer);
    if (this.#tasks.length === 0) return;
    const next = Math.min(...this.#tasks.map((task) => task.dueMs));
    this.#timer = setTimeout(() => this.#runDue(), Math.min(Math.max(0, next - this.#now()), 2 ** 30));
    this.#timer.unref();
  }
}
