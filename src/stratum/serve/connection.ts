// One miner's connection: its socket, its session, and the limits on received and unsent bytes.
import type net from 'node:net';
import type { StratumSession } from '../session/session.js';
import type { AuthorizedWorker, FoundBlock, SessionSink, ShareRecord } from '../session/sink.js';
import type { StratumJob } from '../work/job.js';
import type { StratumCloseReason, StratumCounters } from './counters.js';

/** Above this rate the connection is not read for a while, so TCP slows the miner down. */
const BYTES_PER_SECOND = 65_536;
/** Bytes that may arrive at once. */
const BURST_BYTES = 262_144;
/** Shares that may arrive at once, in seconds of -stratumsharerate. */
const BURST_SECONDS = 8;
/** Unsent bytes above which a connection is closed. */
const MOST_UNSENT_BYTES = 262_144;
/** Unsent bytes above which a job is skipped that only replaces another of the same tip. */
const SKIP_UNSENT_BYTES = 16_384;
/** A connection that takes none of its unsent bytes for this long is closed. */
const STUCK_MS = 60_000;

/** The server, as connections see it. */
export interface ConnectionOwner {
  readonly counters: StratumCounters;
  /** Rate of shares above which a connection is not read for a while. */
  readonly sharesPerSecond: number;
  /** Time for sessions, milliseconds since 1970. */
  nowMs(): number;
  onBlock(connection: Connection, block: FoundBlock): void;
  onShare(connection: Connection, share: ShareRecord): void;
  onAuthorized(connection: Connection, worker: AuthorizedWorker): void;
  onLog(level: 'info' | 'debug', text: string): void;
  /** Closes the connection. Call it once only. */
  end(connection: Connection, reason: StratumCloseReason, detail: string): void;
  /** Ends the connection in which an exception was thrown. */
  onFault(connection: Connection, error: unknown): void;
  /** Called when the socket was closed. */
  remove(connection: Connection): void;
}

export class Connection implements SessionSink {
  readonly id: number;
  readonly socket: net.Socket;
  /** Name under which connections are counted; null: this machine. */
  readonly source: string | null;
  readonly extranonce1: Uint8Array;
  session!: StratumSession;
  closed = false;
  /** True once the miner has authorized its first name. */
  settled = false;
  readonly #owner: ConnectionOwner;
  readonly #address: string;
  #quotaBytes = BURST_BYTES;
  #quotaShares: number;
  #paused = false;
  /** True while received lines are handled. Their replies then wait in #replies, so that they take one write. */
  #receiving = false;
  #replies = '';
  /**
   * Number of bytes that the kernel had accepted at the last check, and the time since which this number is the same.
   */
  #takenBytes = 0;
  #takenMs = 0;

  constructor(
    id: number,
    socket: net.Socket,
    from: { readonly source: string | null; readonly extranonce1: Uint8Array },
    owner: ConnectionOwner,
  ) {
    this.id = id;
    this.socket = socket;
    this.source = from.source;
    this.extranonce1 = from.extranonce1;
    this.#owner = owner;
    this.#quotaShares = owner.sharesPerSecond * BURST_SECONDS;
    this.#address = `${socket.remoteAddress}:${socket.remotePort}`;
  }

  /** IP address and port. */
  get address(): string {
    return this.#address;
  }
  /** IP address. */
  get host(): string {
    return this.#address.slice(0, this.#address.lastIndexOf(':'));
  }
  get name(): string {
    return `miner ${this.id} (${this.#address})`;
  }

  /** Handles bytes from the socket. Never throws. */
  onData(chunk: Uint8Array): void {
    if (this.closed) return;
    try {
      this.receive(chunk);
    } catch (error) {
      this.#owner.onFault(this, error);
    }
  }

  onClose(): void {
    this.#owner.remove(this);
  }

  /** Handles bytes from the socket, with every share in them. Then pauses the socket if a quota is used up. May throw. */
  receive(chunk: Uint8Array): void {
    this.#owner.counters.add('bytesReceived', chunk.length);
    this.#quotaBytes -= chunk.length;
    this.#receiving = true;
    this.session.receive(chunk, this.#owner.nowMs());
    this.#receiving = false;
    this.#sendReplies();
    if (!this.#overQuota || this.closed || this.#paused) return;
    this.#paused = true;
    this.#owner.counters.add('pauses');
    this.socket.pause();
  }

  get #overQuota(): boolean {
    return this.#quotaBytes < 0 || this.#quotaShares < 0;
  }

  /** Sends a job. @param needed false: the job may be skipped while earlier bytes are unsent */
  sendJob(job: StratumJob, needed: boolean): void {
    if (!needed && this.socket.writableLength > SKIP_UNSENT_BYTES) {
      this.#owner.counters.add('jobsSkipped');
      return;
    }
    this.session.setJob(job);
  }

  /** Runs time-outs of the connection and its session. Call it once per second. */
  tick(nowMs: number): void {
    const { sharesPerSecond } = this.#owner;
    this.#quotaBytes = Math.min(BURST_BYTES, this.#quotaBytes + BYTES_PER_SECOND);
    this.#quotaShares = Math.min(sharesPerSecond * BURST_SECONDS, this.#quotaShares + sharesPerSecond);
    if (this.#paused && !this.#overQuota) {
      this.#paused = false;
      this.socket.resume();
    }
    this.session.tick(nowMs);
    if (this.closed) return;
    const unsentBytes = this.socket.writableLength;
    const takenBytes = this.socket.bytesWritten - unsentBytes;
    if (unsentBytes === 0 || takenBytes !== this.#takenBytes) {
      this.#takenBytes = takenBytes;
      this.#takenMs = nowMs;
    } else if (nowMs - this.#takenMs > STUCK_MS) this.#owner.end(this, 'stuck', `it reads nothing, ${unsentBytes} bytes wait for it`);
  }

  reply(line: string): void {
    this.#replies += line;
    if (!this.#receiving) this.#sendReplies();
  }

  send(bytes: Uint8Array): void {
    this.#sendReplies();
    if (this.closed) return;
    this.socket.write(bytes);
    this.#onWritten(bytes.length);
  }

  #sendReplies(): void {
    const text = this.#replies;
    this.#replies = '';
    if (text.length === 0 || this.closed) return;
    this.socket.write(text, 'latin1');
    this.#onWritten(text.length);
  }

  #onWritten(bytes: number): void {
    this.#owner.counters.add('bytesSent', bytes);
    if (this.socket.writableLength > MOST_UNSENT_BYTES) {
      this.#owner.end(this, 'unsent', `${this.socket.writableLength} bytes wait for it`);
    }
  }

  close(reason: 'garbage' | 'handshake-timeout', detail: string): void {
    this.#sendReplies();
    this.#owner.end(this, reason, detail);
  }

  submitBlock(block: FoundBlock): void {
    this.#owner.onBlock(this, block);
  }

  share(record: ShareRecord): void {
    this.#quotaShares--;
    this.#owner.onShare(this, record);
  }

  authorized(worker: AuthorizedWorker): void {
    this.#owner.onAuthorized(this, worker);
  }

  log(level: 'info' | 'debug', text: string): void {
    this.#owner.onLog(level, text);
  }
}
