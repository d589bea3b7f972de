// All workers of a thread by address and name: sessions, figures, and which rows changed since they were last written.
// A worker gets a row with its first accepted share, so firmware that only probes a pool gets none.
import type { AuthorizedWorker, ShareRecord } from '../session/sink.js';
import { decodeWorkerRow, encodeWorkerKey, encodeWorkerRow } from './worker-row.js';
import { WorkerStatistics } from './worker-statistics.js';

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
  readonly statistics: WorkerStatistics;
}

/** A row to write; `row` is null if it is to be deleted. */
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
}

/** Returns the key of a worker. Neither part contains a line feed. */
const idOf = ({ address, worker }: Name): string => `${address}\n${worker}`;

export class WorkerTable {
  readonly #most: number;
  /** Workers by key, in the order of their last shares. */
  readonly #workers = new Map<string, Kept>();
  readonly #sessions = new Map<string, OpenSessions>();
  readonly #changed = new Map<string, Name>();

  /**
   * @param most largest number of workers; above it, the one with the oldest last share is removed, if possible one without
   *   a connection
   */
  constructor(most: number) {
    this.#most = most;
  }

  get size(): number {
    return this.#workers.size;
  }

  /** Adds a worker from its database row. Load all rows before the first share. @throws DecodeError */
  loadRow(name: Name, row: Uint8Array): void {
    const { address, worker } = name;
    this.#workers.set(idOf(name), { address, worker, statistics: new WorkerStatistics(decodeWorkerRow(row)) });
  }

  /** Called when a connection was authorized for a worker. Call endSession once for each call. */
  startSession(worker: AuthorizedWorker, nowMs: number): void {
    const id = idOf(worker);
    const open = this.#sessions.get(id);
    if (open !== undefined) {
      open.count++;
      open.agent = worker.agent;
      return;
    }
    this.#sessions.set(id, { count: 1, sinceMs: nowMs, agent: worker.agent });
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
    this.#changed.set(id, kept);
    // Move the worker to the end of the order.
    this.#workers.delete(id);
    this.#workers.set(id, kept);
    this.#evict();
  }

  find(name: Name): WorkerEntry | null {
    const kept = this.#workers.get(idOf(name));
    return kept === undefined ? null : this.#entry(kept);
  }

  /** Lists workers by their last shares, newest first. @param skip number of workers to leave out at the start */
  list(skip: number, count: number): WorkerEntry[] {
    const newest = [...this.#workers.values()].reverse();
    return newest.slice(skip, skip + count).map((kept) => this.#entry(kept));
  }

  /** Returns the rows that changed since the last call. */
  takeChangedRows(): ChangedRow[] {
    const rows = [...this.#changed].map(([id, { address, worker }]) => {
      const kept = this.#workers.get(id);
      return { key: encodeWorkerKey(address, worker), row: kept === undefined ? null : encodeWorkerRow(kept.statistics.figures) };
    });
    this.#changed.clear();
    return rows;
  }

  #entry({ address, worker, statistics }: Kept): WorkerEntry {
    return { address, worker, sessions: this.#sessions.get(idOf({ address, worker }))?.count ?? 0, statistics };
  }

  /** Creates a worker. Its mean rates count from the start of the session, when the work for the first share began. */
  #createWorker(id: string, { address, worker, timeMs }: ShareRecord): Kept {
    const open = this.#sessions.get(id);
    const statistics = WorkerStatistics.create(open?.sinceMs ?? timeMs);
    statistics.startSession(open?.agent ?? '');
    return { address, worker, statistics };
  }

  #evict(): void {
    if (this.#workers.size <= this.#most) return;
    let id = this.#workers.keys().next().value as string;
    for (const one of this.#workers.keys()) {
      if (this.#sessions.has(one)) continue;
      id = one;
      break;
    }
    this.#changed.set(id, this.#workers.get(id) as Kept);
    this.#workers.delete(id);
  }
}
