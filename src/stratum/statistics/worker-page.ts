// A page of workers with the totals of all workers that match, as plain data for another thread.
import { SHARE_RESULTS } from '../session/sink.js';
import { WINDOWS_MS } from './worker-statistics.js';
import type { WorkerEntry, WorkerTable } from './worker-table.js';

/** Question for a page of workers. */
export interface WorkerQuery {
  /** Only workers of this address; null: all. */
  readonly address: string | null;
  /** Number of workers to leave out at the start. */
  readonly skip: number;
  readonly count: number;
}

/** Figures of one worker, or the totals of several. */
export interface WorkerSums {
  /** Connections that are open now. */
  readonly sessions: number;
  /** Hashes per second over each of WINDOWS_MS. */
  readonly hashrates: readonly number[];
  /** Sum of the difficulties of all accepted shares. */
  readonly work: number;
  /** Numbers of shares, in the order of SHARE_RESULTS. */
  readonly shares: readonly number[];
  readonly blocks: number;
  /** Difficulty of the best share ever, and of the best one since the worker connected; 0 without a share. */
  readonly bestEver: number;
  readonly bestOfSession: number;
  /** Milliseconds since 1970; 0 before the first share. */
  readonly lastShareMs: number;
}

/** A worker on a page. */
export interface WorkerFacts extends WorkerSums {
  readonly address: string;
  readonly worker: string;
  /** User agent of the firmware; empty if it sent none. */
  readonly agent: string;
  /** Milliseconds since 1970. */
  readonly firstSeenMs: number;
  /** Difficulty of the last accepted share; 0 if there was none since the start. */
  readonly difficulty: number;
}

export interface WorkerPage {
  /** Number of workers that match, and how many of them are connected. */
  readonly total: number;
  readonly connected: number;
  readonly sums: WorkerSums;
  readonly workers: readonly WorkerFacts[];
}

/** Returns a page of workers: newest share first, then those without a share. */
export function workerPage(table: WorkerTable, { address, skip, count }: WorkerQuery, nowMs: number): WorkerPage {
  const sums = { sessions: 0, work: 0, blocks: 0, bestEver: 0, bestOfSession: 0, lastShareMs: 0 };
  const hashrates = WINDOWS_MS.map(() => 0);
  const shares = SHARE_RESULTS.map(() => 0);
  const workers: WorkerFacts[] = [];
  let total = 0;
  let connected = 0;
  for (const entry of table.list(address, nowMs)) {
    const facts = factsOf(entry, nowMs);
    if (total >= skip && workers.length < count) workers.push(facts);
    total++;
    if (facts.sessions > 0) connected++;
    for (const name of ['sessions', 'work', 'blocks'] as const) sums[name] += facts[name];
    for (const name of ['bestEver', 'bestOfSession', 'lastShareMs'] as const) sums[name] = Math.max(sums[name], facts[name]);
    for (let i = 0; i < hashrates.length; i++) hashrates[i] += facts.hashrates[i];
    for (let i = 0; i < shares.length; i++) shares[i] += facts.shares[i];
  }
  return { total, connected, sums: { ...sums, hashrates, shares }, workers };
}

function factsOf({ address, worker, sessions, statistics }: WorkerEntry, nowMs: number): WorkerFacts {
  const { agent, firstSeenMs, work, shares, blocks, bestEver, lastShareMs } = statistics.figures;
  const { difficulty, bestOfSession } = statistics;
  const hashrates = statistics.hashrates(nowMs);
  return {
    address,
    worker,
    agent,
    sessions,
    firstSeenMs,
    lastShareMs,
    difficulty,
    hashrates,
    bestOfSession,
    bestEver,
    work,
    shares,
    blocks,
  };
}
