// All workers of a thread by address and name: sessions, figures, and which rows changed since they were last written.
// A worker gets a row with its first accepted share, so firmware that only probes a pool gets none.
import { DecodeError } from '../../consensus/bytes/reader.js';
import type { AuthorizedWorker, ShareRecord } from '../session/sink.js';
import { decodeWorkerKey, decodeWorkerRow, encodeWorkerKey, encodeWorkerRow } from './worker-row.js';
import { emptyFigures, WorkerStatistics } from './worker-statistics.js';

/** Names with open connections that are counted, for each worker that the table holds at most. */
const SESSIONS_PER_WORKER = 2;
/** Number of the oldest workers among which one without a connection is searched when there are too many workers. */
const MOST_SCANNED = 32;

/** Connections of one worker. */
interface OpenSessions {
  count: number;
  /** Start of the first connection, milliseconds since 1970. */
  readonly sinceMs: number;
  agent: string;
}

/** A worker as pages show it. */
export interface WorkerEntry {
  readonly address: string;
  readonly worker: string;
  /** Connections that are open now. */
  readonly sessions: number;
  /** Figures without a share if the worker is connected and has no accepted share yet. */
  readonly statistics: WorkerStatistics;
}

/** Key and value of a row in the database; `row` is null if the row is to be deleted. */
export interface ChangedRow {
  readonly key: Uint8Array;
  readonly row: Uint8Array | null;
}

interface Name {
  readonly address: string;
  readonly worker: string;
}

interface Kept extends Name {
  readonly statistics: WorkerStatistics;
  /** True if the database has a row of the worker. */
  stored: boolean;
}

/** A row that must be written. */
interface Change extends Name {
  readonly sinceMs: number;
}

/** Returns the key of a worker. Neither part contains a line feed. */
const idOf = ({ address, worker }: Name): string => `${address}\n${worker}`;

export class WorkerTable {
  readonly #most: number;
  /** Workers by key, in the order of their last accepted shares. */
  readonly #workers = new Map<string, Kept>();
  readonly #sessions = new Map<string, OpenSessions>();
  /** Changes in the order in which they have to be written. */
  readonly #changed = new Map<string, Change>();

  /**
   * @param most largest number of workers; above it, the one with the oldest last share is removed, if possible one without
   *   a connection
   */
  constructor(most: number) {
    this.#most = most;
  }

  /** Number of workers with figures. */
  get size(): number {
    return this.#workers.size;
  }

  /** Number of rows that must be written or deleted. */
  get changes(): number {
    return this.#changed.size;
  }

  /**
   * Adds the workers of earlier runs. Call this before the first share.
   * @returns number of rows that were ignored because they are damaged
   */
  loadRows(rows: readonly (readonly [key: Uint8Array, row: Uint8Array])[], nowMs: number): number {
    const loaded: Kept[] = [];
    let damaged = 0;
    for (const [key, row] of rows) {
      try {
        loaded.push({ ...decodeWorkerKey(key), statistics: new WorkerStatistics(decodeWorkerRow(row)), stored: true });
      } catch (error) {
        if (!(error instanceof DecodeError)) throw error;
        damaged++;
      }
    }
    loaded.sort((a, b) => a.statistics.lastShareMs - b.statistics.lastShareMs);
    for (const kept of loaded) this.#workers.set(idOf(kept), kept);
    while (this.#workers.size > this.#most) this.#evict(nowMs);
    return damaged;
  }

  /**
   * Called when a connection was authorized for a worker. Call endSession once for each call. If more names are
   * authorized than the table counts, some workers are shown without their connections.
   */
  startSession(worker: AuthorizedWorker, nowMs: number): void {
    const id = idOf(worker);
    const open = this.#sessions.get(id);
    if (open !== undefined) {
      open.count++;
      open.agent = worker.agent;
      return;
    }
    if (this.#sessions.size < this.#most * SESSIONS_PER_WORKER) {
      this.#sessions.set(id, { count: 1, sinceMs: nowMs, agent: worker.agent });
    }
    this.#workers.get(id)?.statistics.startSession(worker.agent);
  }

  endSession(name: Name): void {
    const id = idOf(name);
    const open = this.#sessions.get(id);
    if (open === undefined) return;
    if (--open.count === 0) this.#sessions.delete(id);
  }

  /** Counts a share. Refused shares of a worker without a row are not counted. */
  addShare(share: ShareRecord): void {
    const id = idOf(share);
    const known = this.#workers.get(id);
    if (known === undefined && share.result !== 'accepted') return;
    const kept = known ?? this.#createWorker(id, share);
    kept.statistics.addShare(share);
    this.#change(id, kept, share.timeMs);
    if (share.result !== 'accepted') return;
    // Move the worker to the end of the order.
    this.#workers.delete(id);
    this.#workers.set(id, kept);
    if (this.#workers.size > this.#most) this.#evict(share.timeMs);
  }

  find(name: Name): WorkerEntry | null {
    const kept = this.#workers.get(idOf(name));
    return kept === undefined ? null : this.#entry(kept);
  }

  /**
   * Returns workers by their last shares, newest first, and then those that are connected and have no share yet.
   * @param address only workers of this address; null: all
   */
  *list(address: string | null, nowMs: number): Generator<WorkerEntry> {
    for (const kept of [...this.#workers.values()].reverse()) {
      if (address === null || kept.address === address) yield this.#entry(kept);
    }
    for (const [id, { sinceMs, agent, count }] of this.#sessions) {
      if (this.#workers.has(id)) continue;
      const cut = id.indexOf('\n');
      const name = { address: id.slice(0, cut), worker: id.slice(cut + 1) };
      if (address !== null && name.address !== address) continue;
      const statistics = new WorkerStatistics({ ...emptyFigures(Math.min(sinceMs, nowMs)), agent });
      yield { ...name, sessions: count, statistics };
    }
  }

  /**
   * Returns the rows whose oldest unwritten change is from `untilMs` or earlier, oldest first.
   * @param most largest number of rows
   */
  takeChangedRows(untilMs: number, most: number): ChangedRow[] {
    const rows: ChangedRow[] = [];
    for (const [id, { address, worker, sinceMs }] of this.#changed) {
      if (rows.length >= most || sinceMs > untilMs) break;
      this.#changed.delete(id);
      const kept = this.#workers.get(id);
      if (kept !== undefined) kept.stored = true;
      rows.push({ key: encodeWorkerKey(address, worker), row: kept === undefined ? null : encodeWorkerRow(kept.statistics.figures) });
    }
    return rows;
  }

  #entry({ address, worker, statistics }: Kept): WorkerEntry {
    return { address, worker, sessions: this.#sessions.get(idOf({ address, worker }))?.count ?? 0, statistics };
  }

  /** Creates a worker. Its mean rates count from the start of the session, when the work for the first share began. */
  #createWorker(id: string, { address, worker, timeMs }: ShareRecord): Kept {
    const open = this.#sessions.get(id);
    const statistics = new WorkerStatistics(emptyFigures(open?.sinceMs ?? timeMs));
    statistics.startSession(open?.agent ?? '');
    // A worker that is not in the table and has a change is one whose row is to be deleted, so the row still exists.
    return { address, worker, statistics, stored: this.#changed.has(id) };
  }

  #change(id: string, { address, worker }: Name, nowMs: number): void {
    if (!this.#changed.has(id)) this.#changed.set(id, { address, worker, sinceMs: nowMs });
  }

  /** Removes one worker. A row that was never written needs no deletion, so that invented names do not fill the queue. */
  #evict(nowMs: number): void {
    let id = this.#workers.keys().next().value as string;
    let scanned = 0;
    for (const one of this.#workers.keys()) {
      if (scanned++ >= MOST_SCANNED) break;
      if (this.#sessions.has(one)) continue;
      id = one;
      break;
    }
    const kept = this.#workers.get(id) as Kept;
    this.#workers.delete(id);
    if (kept.stored) this.#change(id, kept, nowMs);
    else this.#changed.delete(id);
  }
}
