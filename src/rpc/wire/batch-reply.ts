// Builds the reply of a batch. Finished text is stored as bytes and counted against a limit that all batches of a
// thread share: a body of 32 MB could ask for more than any machine's memory.
import { RPC_CODE, RpcError } from '../errors.js';
import { encodeHole, UNFILLED } from '../reads/unfilled.js';
import { encodeEnvelope, faultReply, isNotification, joined, type Outcome, type Reply } from './reply.js';
import type { RequestEntry } from './request.js';

/** Characters of text that are collected before they are converted to bytes. */
const CHUNK_CHARS = 1 << 20;

/** Limits the size of all batch replies in progress. Sizes are in characters, which are nearly always bytes. */
export class ReplyQuota {
  /** Largest size of one reply. */
  readonly each: number;
  #left: number;

  constructor(bounds: { each: number; all: number } = { each: 256 << 20, all: 512 << 20 }) {
    this.each = bounds.each;
    this.#left = bounds.all;
  }

  reserveSize(size: number): boolean {
    if (size > this.#left) return false;
    this.#left -= size;
    return true;
  }

  releaseSize(size: number): void {
    this.#left += size;
  }
}

export class BatchReply {
  /** Number of entries answered so far, including notifications. */
  count = 0;
  /** True if the reply is too large. No outcome can be added then, and further entries must not run. */
  full = false;
  readonly #quota: ReplyQuota;
  readonly #chunks: Uint8Array[] = [];
  #parts: string[] = [];
  #partChars = 0;
  #taken = 0;
  #answers = 0;
  #status = 200;

  constructor(quota: ReplyQuota) {
    this.#quota = quota;
  }

  /** Adds the outcome of the next entry. */
  add(entry: RequestEntry, outcome: Outcome): void {
    this.count++;
    if (this.full || isNotification(entry)) return;
    const text = 'read' in outcome ? encodeHole(entry, outcome.read, outcome.seconds) : encodeEnvelope(entry, outcome);
    if ('read' in outcome) this.#status = UNFILLED;
    if (this.#taken + text.length > this.#quota.each || !this.#quota.reserveSize(text.length)) {
      this.full = true;
      return;
    }
    this.#taken += text.length;
    this.#partChars += text.length;
    this.#parts.push(this.#answers++ === 0 ? text : `,${text}`);
    if (this.#partChars > CHUNK_CHARS) this.#putAway();
  }

  /** Returns the whole reply, and releases its part of the quota. */
  finish(): Reply {
    this.#quota.releaseSize(this.#taken);
    this.#taken = 0;
    if (this.full) {
      const done = `entries after number ${this.count} were not executed`;
      return faultReply(new RpcError(RPC_CODE.OUT_OF_MEMORY, `The reply of this batch is too large; ${done}`));
    }
    if (this.#answers === 0 && this.count > 0) return { status: 204, body: '' };
    if (this.#chunks.length === 0) return { status: this.#status, body: `[${this.#parts.join('')}]\n` };
    this.#parts.push(']\n');
    this.#putAway();
    return { status: this.#status, body: joined(Buffer.from('['), this.#chunks) };
  }

  #putAway(): void {
    this.#chunks.push(Buffer.from(this.#parts.join('')));
    this.#parts = [];
    this.#partChars = 0;
  }
}
