// Collects shares as records for programs outside, and posts them in messages. Bounded: while the node thread has not
// taken MOST_WAITING_BYTES, further records are lost and counted. Refused shares, which cost a miner nothing, get only
// half of that.
import { SHARE_RESULTS, type ShareRecord } from '../session/sink.js';
import type { StratumCounters } from './counters.js';
import type { FromStratum } from './messages.js';

// Records of shares for programs outside: the stream of -zmqpubshare and -fleetshares. A message is one byte of the
// format, then records. docs/mining.md has the table for readers.
//
//   2  length of the record with this field        all numbers little-endian
//   1  number of the process (-stratumfront)
//   1  result: its place in SHARE_RESULTS
//   1  1 if the share is a block
//   1  length of the address
//   4  height of the block that the job builds; 0 if the job is unknown
//   8  number of the record since the start, double
//   8  time, milliseconds since 1970, double
//   8  difficulty of the job, double
//   8  difficulty of the share's hash, double; 0 if it was not computed
//   n  address, ASCII
//   *  worker, ASCII

const SHARE_FORMAT = 1;
const ADDRESS_AT = 42;

export const shareRecordLength = ({ address, worker }: ShareRecord): number => ADDRESS_AT + address.length + worker.length;

/**
 * Writes a record. Names have ASCII characters only, and at most 128.
 * @param number of the record since the start
 * @returns the place after the record
 */
export function writeShareRecord(view: DataView, at: number, share: ShareRecord, front: number, number: number): number {
  const { address, worker, result, difficulty, shareDifficulty, height, timeMs, block } = share;
  const end = at + shareRecordLength(share);
  view.setUint16(at, end - at, true);
  view.setUint8(at + 2, front);
  view.setUint8(at + 3, SHARE_RESULTS.indexOf(result));
  view.setUint8(at + 4, block ? 1 : 0);
  view.setUint8(at + 5, address.length);
  view.setUint32(at + 6, height, true);
  view.setFloat64(at + 10, number, true);
  view.setFloat64(at + 18, timeMs, true);
  view.setFloat64(at + 26, difficulty, true);
  view.setFloat64(at + 34, shareDifficulty, true);
  let place = at + ADDRESS_AT;
  for (const name of [address, worker]) for (let i = 0; i < name.length; i++) view.setUint8(place++, name.charCodeAt(i));
  return end;
}

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
