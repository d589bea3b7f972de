// Queue of bytes to send to a peer. The socket gets one piece at a time, so that progress shows whether the peer reads
// at all, however large the messages are.
import type { Socket } from 'node:net';
import type { Traffic } from './traffic.js';

/** Bytes that the socket holds at most. */
const PIECE_BYTES = 128 << 10;
/**
 * The array also has the entries of messages that were sent already. They are removed when they are more than this
 * number and at least half of the array.
 */
const MAX_GIVEN = 1_024;

export class SendQueue {
  #waiting: Uint8Array[] = [];
  #head = 0;
  /** Bytes in `#waiting`, and bytes that `traffic` includes. */
  #waitingBytes = 0;
  #accountedBytes = 0;
  /** Monotonic time in ms of the last progress. */
  #sinceMs = 0;
  readonly #socket: Socket;
  readonly #traffic: Traffic;
  readonly #nowMs: () => number;

  readonly #onEmpty: () => void;
  /** Called when the kernel has the last piece: a short piece causes no `drain`. */
  readonly #taken = (): void => {
    if (this.bytes > 0 || this.#accountedBytes === 0) return;
    this.#account();
    this.#onEmpty();
  };

  /** @param onEmpty called when the queue has become empty */
  constructor(socket: Socket, traffic: Traffic, nowMs: () => number, onEmpty: () => void) {
    this.#socket = socket;
    this.#onEmpty = onEmpty;
    this.#traffic = traffic;
    this.#nowMs = nowMs;
  }

  /** Bytes that the peer has not taken. */
  get bytes(): number {
    return this.#waitingBytes + this.#socket.writableLength;
  }

  /** Entries of the array, including those of sent messages. */
  get places(): number {
    return this.#waiting.length;
  }

  /** Milliseconds for which sending has made no progress; 0 if no bytes are unsent. */
  get stuckMs(): number {
    return this.bytes === 0 ? 0 : this.#nowMs() - this.#sinceMs;
  }

  /** Monotonic time in ms of the last progress in sending; 0 if no bytes are unsent. */
  get stuckSinceMs(): number {
    return this.bytes === 0 ? 0 : this.#sinceMs;
  }

  push(bytes: Uint8Array): void {
    if (this.bytes === 0) this.#sinceMs = this.#nowMs();
    this.#waiting.push(bytes);
    this.#waitingBytes += bytes.length;
    this.#feedSocket();
  }

  /** Called when the socket has no bytes left: all of them are in the kernel. */
  drained(): void {
    this.#sinceMs = this.#nowMs();
    this.#feedSocket();
  }

  /** Empties the queue when the connection has ended. */
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
    // Remove the entries of sent messages only when they are at least half of the array. Then the cost of moving the
    // other entries is at most one move per sent message.
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
