// Collects shares as records for programs outside, and posts them in messages. Bounded: while the node thread has not
// taken MOST_WAITING_BYTES, further records are lost and counted. Refused shares, which cost a miner nothing, get only
// half of that.
import { SHARE_FORMAT, shareRecordLength, writeShareRecord } from '../codec/share-record.js';
import type { ShareRecord } from '../session/sink.js';
import type { StratumCounters } from './counters.js';
import type { FromStratum } from './messages.js';

/** Longest time that a record waits for others. */
const COLLECT_MS = 100;
/** Largest message. */
const MESSAGE_BYTES = 16_384;
const MOST_WAITING_BYTES = 4 << 20;

export interface ShareStreamDeps {
  /** Number of the process in records. */
  readonly front: number;
  readonly counters: StratumCounters;
  readonly post: (message: FromStratum, transfer: readonly ArrayBuffer[]) => void;
  /** Calls `run` once after this many milliseconds. */
  readonly after: (ms: number, run: () => void) => void;
}

export class ShareStream {
  readonly #deps: ShareStreamDeps;
  #view: DataView | null = null;
  #used = 0;
  /** Records in the present message. */
  #records = 0;
  #number = 0;
  #waitingBytes = 0;

  constructor(deps: ShareStreamDeps) {
    this.#deps = deps;
  }

  /** Adds a share to the present message. Never waits. */
  addShare(share: ShareRecord): void {
    const { front, counters, after } = this.#deps;
    const number = this.#number++;
    const length = shareRecordLength(share);
    if (this.#used + length > MESSAGE_BYTES) this.postMessage();
    const most = share.result === 'accepted' ? MOST_WAITING_BYTES : MOST_WAITING_BYTES / 2;
    if (this.#waitingBytes > most) {
      counters.add('streamLost');
      return;
    }
    if (this.#view === null) {
      this.#view = new DataView(new ArrayBuffer(MESSAGE_BYTES));
      this.#view.setUint8(0, SHARE_FORMAT);
      this.#used = 1;
      after(COLLECT_MS, () => this.postMessage());
    }
    this.#used = writeShareRecord(this.#view, this.#used, share, front, number);
    this.#records++;
    counters.add('streamRecords');
  }

  /** Called when the node thread has taken messages of so many bytes. */
  onTaken(bytes: number): void {
    this.#waitingBytes -= bytes;
  }

  /** Posts what was collected. */
  postMessage(): void {
    if (this.#view === null) return;
    const bytes = new Uint8Array(this.#view.buffer.slice(0, this.#used) as ArrayBuffer);
    const records = this.#records;
    this.#view = null;
    this.#used = 0;
    this.#records = 0;
    this.#waitingBytes += bytes.length;
    this.#deps.post({ kind: 'shares', bytes, records }, [bytes.buffer]);
  }
}
