// A page of workers with the totals of all workers that match, as plain data for another thread.
import { SHARE_RESULTS } from '../session/sink.js';
import { type Totals, WINDOWS_MS } from './worker-statistics.js';
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
export interface WorkerSums extends Readonly<Omit<Totals, 'shares'>> {
  /** Numbers of shares, in the order of SHARE_RESULTS. */
  readonly shares: readonly number[];
  /** Connections that are open now. */
  readonly sessions: number;
}

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
  readonly totals: WorkerSums;
  readonly workers: readonly WorkerFacts[];
}

const NO_TOTALS = { work: 0, blocks: 0, bestEver: 0, bestOfSession: 0, lastShareMs: 0 };

/** Returns a page of workers: newest share first, then those without a share. */
export function workerPage(table: WorkerTable, { address: given, skip, count }: WorkerQuery, nowMs: number): WorkerPage {
  // Addresses of bech32 may be given in capitals, and the table has them in lower case.
  const address = given !== null && given === given.toUpperCase() ? given.toLowerCase() : given;
  const totals: Totals = { hashrates: WINDOWS_MS.map(() => 0), shares: SHARE_RESULTS.map(() => 0), ...NO_TOTALS };
  const workers: WorkerFacts[] = [];
  let total = 0;
  let connected = 0;
  let connections = 0;
  for (const entry of table.list(address, nowMs)) {
    if (total >= skip && workers.length < count) workers.push(factsOf(entry, nowMs));
    total++;
    if (entry.sessions > 0) connected++;
    connections += entry.sessions;
    entry.statistics.addTo(totals, nowMs);
  }
  return { total, connected, totals: { ...totals, sessions: connections }, workers };
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
