// What waits to be sent to a peer. The socket is given a piece at a time, so that it shows whether the peer reads at
// all, however large the messages are.
import type { Socket } from 'node:net';
import type { Traffic } from './traffic.js';

/** Bytes given to the socket at a time. */
const PIECE_BYTES = 128 << 10;
/**
 * Places of messages that were given away are kept up to this many, or as many as wait: a queue that never runs empty
 * does not grow.
 */
const MAX_GIVEN = 1_024;

export class SendQueue {
  #waiting: Uint8Array[] = [];
  #head = 0;
  /** Bytes in `#waiting`, and those that `traffic` was told of. */
  #waitingBytes = 0;
  #accountedBytes = 0;
  /** Real milliseconds (a monotonic clock's) since when nothing was taken. */
  #sinceMs = 0;
  readonly #socket: Socket;
  readonly #traffic: Traffic;
  readonly #nowMs: () => number;

  readonly #onEmpty: () => void;
  /** The last piece is with the kernel: no `drain` tells of it where it is short. */
  readonly #taken = (): void => {
    if (this.bytes > 0 || this.#accountedBytes === 0) return;
    this.#account();
    this.#onEmpty();
  };

  /** @param onEmpty told when nothing is left of what waited */
  constructor(socket: Socket, traffic: Traffic, nowMs: () => number, onEmpty: () => void) {
    this.#socket = socket;
    this.#onEmpty = onEmpty;
    this.#traffic = traffic;
    this.#nowMs = nowMs;
  }

  /** Bytes the peer has not taken. */
  get bytes(): number {
    return this.#waitingBytes + this.#socket.writableLength;
  }

  /** Places in the list, those of messages that were given to the socket too. */
  get places(): number {
    return this.#waiting.length;
  }

  /** How long nothing was taken of what waits, ms. */
  get stuckMs(): number {
    return this.bytes === 0 ? 0 : this.#nowMs() - this.#sinceMs;
  }

  /** The clock's time since when nothing was taken of what waits; 0 when nothing waits. */
  get stuckSinceMs(): number {
    return this.bytes === 0 ? 0 : this.#sinceMs;
  }

  push(bytes: Uint8Array): void {
    if (this.bytes === 0) this.#sinceMs = this.#nowMs();
    this.#waiting.push(bytes);
    this.#waitingBytes += bytes.length;
    this.#feedSocket();
  }

  /** The socket took all it was given. */
  drained(): void {
    this.#sinceMs = this.#nowMs();
    this.#feedSocket();
  }

  /** The connection is over. */
  clear(): void {
    this.#waiting = [];
    this.#head = 0;
    this.#waitingBytes = 0;
    this.#traffic.addOutgoing(-this.#accountedBytes);
    this.#accountedBytes = 0;
  }

  #feedSocket(): void {
    const socket = this.#socket;
    while (this.#head < this.#waiting.length && socket.writableLength < PIECE_BYTES) {
      const next = this.#waiting[this.#head] as Uint8Array;
      const spaceBytes = PIECE_BYTES - socket.writableLength;
      const piece = next.length > spaceBytes ? next.subarray(0, spaceBytes) : next;
      if (piece === next) this.#waiting[this.#head++] = undefined as unknown as Uint8Array;
      else this.#waiting[this.#head] = next.subarray(spaceBytes);
      this.#waitingBytes -= piece.length;
      if (this.#head === this.#waiting.length) socket.write(piece, this.#taken);
      else socket.write(piece);
    }
    // Moved at most once for each message that was given: as many were given since the last time as are moved now.
    if (this.#head === this.#waiting.length || (this.#head >= MAX_GIVEN && this.#head * 2 >= this.#waiting.length)) {
      this.#waiting = this.#waiting.slice(this.#head);
      this.#head = 0;
    }
    this.#account();
  }

  #account(): void {
    this.#traffic.addOutgoing(this.bytes - this.#accountedBytes);
    this.#accountedBytes = this.bytes;
  }
}
