// Sends a job to all connections: at once, or in steps over two seconds so that other work is not held up.
import type { StratumJob } from '../work/job.js';
import type { Connection } from './connection.js';

const STEP_MS = 50;
const STEPS = 40;
/** Smallest number of connections that one step serves. */
const LEAST_PER_STEP = 100;
/**
 * Number of connections that get the first job of a tip before Node.js may finish their writes. It finishes writes in the
 * next tick. Writes to all connections without a break would keep some 15 MB alive at 10,000 connections, which V8 then
 * treats as old objects.
 */
const PER_TICK = 50;

export class JobSpreader {
  readonly #send: (connection: Connection, job: StratumJob, needed: boolean) => void;
  #waiting: Connection[] = [];
  #job: StratumJob | null = null;
  /** First job of the tip while it is being sent. */
  #urgent: StratumJob | null = null;
  #timer: NodeJS.Timeout | null = null;

  /** @param send sends one job to one connection, and never throws */
  constructor(send: (connection: Connection, job: StratumJob, needed: boolean) => void) {
    this.#send = send;
  }

  /**
   * Sends the first job of a tip to all connections before the event loop does anything else. It replaces a job that is
   * being sent.
   */
  sendNow(job: StratumJob, connections: Iterable<Connection>): void {
    this.stop();
    this.#urgent = job;
    this.#sendTick(job, [...connections], 0);
  }

  #sendTick(job: StratumJob, connections: readonly Connection[], from: number): void {
    if (this.#urgent !== job) return;
    const to = Math.min(connections.length, from + PER_TICK);
    for (let i = from; i < to; i++) this.#send(connections[i], job, true);
    if (to < connections.length) process.nextTick(() => this.#sendTick(job, connections, to));
    else this.#urgent = null;
  }

  /** Sends another job of the tip, in steps. Connections that still wait for an earlier job get this one instead. */
  spread(job: StratumJob, connections: Iterable<Connection>): void {
    this.#job = job;
    // Connections that still wait for the job before come first, so that none waits for more than two seconds.
    this.#waiting = [...new Set([...this.#waiting.reverse(), ...connections])].reverse();
    const perStep = Math.max(LEAST_PER_STEP, Math.ceil(this.#waiting.length / STEPS));
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#step(perStep);
    if (this.#waiting.length > 0) this.#timer = setInterval(() => this.#step(perStep), STEP_MS);
  }

  stop(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
    this.#waiting = [];
    this.#urgent = null;
  }

  #step(count: number): void {
    const job = this.#job as StratumJob;
    for (const connection of this.#waiting.splice(-count).reverse()) this.#send(connection, job, false);
    if (this.#waiting.length === 0) this.stop();
  }
}
