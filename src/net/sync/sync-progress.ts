// Progress of the initial block download: first of the headers, by their times, then of the blocks, by transactions if
// the network's statistics are known.
import type { ChainParams } from '../../consensus/params/chain-params.js';
import { durationText } from '../../lib/progress.js';

/** Span over which speeds are measured. */
const WINDOW_MS = 60_000;

/** Height and time (seconds since 1970) of the best header, or of the highest header of a presync. */
export interface HeaderPlace {
  readonly height: number;
  readonly time: number;
}

export interface SyncSources {
  readonly params: Pick<ChainParams, 'powTargetSpacing' | 'activity'>;
  /** Returns whether the node is in the initial block download. */
  downloading(): boolean;
  height(): number;
  bestHeader(): HeaderPlace;
  /** Returns the highest header of a presync; null if there is none. */
  presync(): HeaderPlace | null;
  /** Returns the verification progress as in getblockchaininfo, 0 to 1. */
  verificationProgress(): number;
  /** Returns the seconds since the last checkpoint of the download engine; null if it is not running. */
  checkpointAgeSeconds(): number | null;
  nowMs(): number;
}

export interface SyncFigures {
  /** presync: headers are downloaded for the first time. headers, blocks: they arrive. done: the initial block download has ended. */
  readonly phase: 'presync' | 'headers' | 'blocks' | 'done';
  /** Share of the headers that should exist by now, 0 to 1. */
  readonly headersProgress: number;
  /** Share of the blocks whose headers are known, 0 to 1; by transactions if they are known. */
  readonly blocksProgress: number;
  readonly blocksPerSecond: number;
  readonly headersPerSecond: number;
  /** Seconds until all blocks are connected, at the speed of the last minute; null if unknown. */
  readonly secondsLeft: number | null;
}

interface Mark {
  readonly atMs: number;
  readonly height: number;
  readonly headers: number;
  readonly progress: number;
}

export class SyncProgress {
  #marks: Mark[] = [];
  readonly #sources: SyncSources;

  constructor(sources: SyncSources) {
    this.#sources = sources;
  }

  /** Records the current position. @returns the log line; null if nothing changed */
  tick(): string | null {
    const sources = this.#sources;
    if (!sources.downloading()) {
      this.#marks = [];
      return null;
    }
    const before = this.#marks[this.#marks.length - 1];
    const now = this.#mark();
    this.#marks.push(now);
    while (this.#marks.length > 2 && now.atMs - (this.#marks[0] as Mark).atMs > WINDOW_MS) this.#marks.shift();
    if (before === undefined || (before.height === now.height && before.headers === now.headers)) return null;
    return this.#line(now, this.figures());
  }

  #mark(): Mark {
    const sources = this.#sources;
    const headers = sources.presync() ?? sources.bestHeader();
    const height = sources.height();
    return { atMs: sources.nowMs(), height, headers: headers.height, progress: this.#blocks(height) };
  }

  #blocks(height: number): number {
    const sources = this.#sources;
    const known = sources.verificationProgress();
    const byHeight = Math.min(1, height / Math.max(1, sources.bestHeader().height));
    // Compute the progress from heights if the network has no transaction statistics, as on regtest.
    return known >= 1 || known === 0 || sources.params.activity.transactions === 0 ? byHeight : known;
  }

  #headers({ height, time }: HeaderPlace): number {
    const missing = Math.max(0, this.#sources.nowMs() / 1000 - time) / this.#sources.params.powTargetSpacing;
    return height / Math.max(1, height + missing);
  }

  #line(now: Mark, { phase, headersProgress, blocksPerSecond, secondsLeft, blocksProgress }: SyncFigures): string {
    const headers = `height: ${now.headers} (~${(100 * headersProgress).toFixed(2)}%)`;
    if (phase === 'presync') return `Pre-synchronizing blockheaders, ${headers}`;
    if (phase === 'headers') return `Synchronizing blockheaders, ${headers}`;
    const speed = `${blocksPerSecond.toFixed(blocksPerSecond < 10 ? 1 : 0)} blocks/s`;
    const goal = this.#sources.bestHeader().height;
    const age = this.#sources.checkpointAgeSeconds();
    const checkpoint = age === null ? '' : `, last checkpoint ${durationText(age)} ago`;
    return `Synchronizing blocks, height: ${now.height} of ${goal} (~${(100 * blocksProgress).toFixed(2)}%), ${speed}, ${durationText(secondsLeft)} left${checkpoint}`;
  }

  figures(): SyncFigures {
    const sources = this.#sources;
    const presync = sources.presync();
    const best = sources.bestHeader();
    const now = this.#mark();
    const first = this.#marks[0] ?? now;
    const seconds = Math.max(0.001, (now.atMs - first.atMs) / 1000);
    const blocksPerSecond = Math.max(0, now.height - first.height) / seconds;
    const headersPerSecond = Math.max(0, now.headers - first.headers) / seconds;
    const speed = (now.progress - first.progress) / seconds;
    const downloading = sources.downloading();
    const blocksCome = now.height > first.height || sources.height() > 0;
    const phase = !downloading ? 'done' : presync !== null ? 'presync' : blocksCome ? 'blocks' : 'headers';
    return {
      phase,
      headersProgress: downloading ? this.#headers(presync ?? best) : 1,
      blocksProgress: downloading ? now.progress : 1,
      blocksPerSecond,
      headersPerSecond,
      secondsLeft: !downloading ? 0 : speed > 0 ? (1 - now.progress) / speed : null,
    };
  }
}
