// Messages on the wire: a header of 24 bytes and the payload. A FrameReader takes what a socket delivers, in pieces of any size, and
// hands out whole messages; it never holds more than it was sent. Callers: peer/connection.ts, the fuzz tests.
import type { Hashes } from '../../crypto/crypto.js';
import { MAX_PROTOCOL_MESSAGE_LENGTH } from './protocol.js';

/**
 * Header of a message:
 *   0 magic 4 | 4 command 12, zero-padded ASCII | 16 payload length u32 | 20 first 4 bytes of the payload's double SHA-256
 */
export const HEADER_BYTES = 24;
const COMMAND_AT = 4;
const COMMAND_BYTES = 12;
const LENGTH_AT = 16;
const CHECKSUM_AT = 20;
/** Room made for a payload before any of it came. */
const FIRST_ROOM = 64 << 10;

/** A whole message. */
export interface Frame {
  readonly command: string;
  readonly payload: Uint8Array;
}

/** A message that is skipped: its length was right, something else was not. */
export interface BadFrame {
  readonly command: string;
  readonly payload: null;
  /** As Core logs it. */
  readonly fault: string;
  /** Bytes skipped, header included. */
  readonly size: number;
}

/** Writes a message. @param magic 4 bytes @param command at most 12 ASCII characters */
export function encodeFrame(magic: Uint8Array, command: string, payload: Uint8Array, hashes: Hashes): Uint8Array {
  const bytes = new Uint8Array(HEADER_BYTES + payload.length);
  bytes.set(magic, 0);
  for (let i = 0; i < command.length; i++) bytes[COMMAND_AT + i] = command.charCodeAt(i);
  new DataView(bytes.buffer).setUint32(LENGTH_AT, payload.length, true);
  bytes.set(hashes.sha256d(payload).subarray(0, 4), CHECKSUM_AT);
  bytes.set(payload, HEADER_BYTES);
  return bytes;
}

/** Cuts a stream into messages. */
export class FrameReader {
  /** Why the stream can't go on, once it can't. */
  fault: string | null = null;
  #buffer = new Uint8Array(FIRST_ROOM);
  #start = 0;
  #end = 0;

  constructor(
    private readonly magic: Uint8Array,
    private readonly hashes: Hashes,
  ) {}

  /** Bytes received and not handed out yet. */
  get held(): number {
    return this.#end - this.#start;
  }

  /** Takes bytes from the socket; they are copied. */
  push(chunk: Uint8Array): void {
    if (this.fault !== null) return;
    const { held } = this;
    if (this.#end + chunk.length > this.#buffer.length) {
      const wanted = held + chunk.length;
      let room = FIRST_ROOM;
      while (room < wanted) room *= 2;
      const target = room === this.#buffer.length ? this.#buffer : new Uint8Array(room);
      target.set(this.#buffer.subarray(this.#start, this.#end));
      this.#buffer = target;
      this.#start = 0;
      this.#end = held;
    }
    this.#buffer.set(chunk, this.#end);
    this.#end += chunk.length;
  }

  /** The next message; null when more bytes are needed or the stream has a fault. A payload is a copy. */
  next(): Frame | BadFrame | null {
    const { held } = this;
    const buffer = this.#buffer;
    const at = this.#start;
    if (this.fault !== null || held < HEADER_BYTES) return null;
    for (let i = 0; i < 4; i++) {
      if (buffer[at + i] === this.magic[i]) continue;
      return this.#fail(`HEADER ERROR - MESSAGESTART (${this.#command().text}, ${this.#length()} bytes), received ${hex(buffer, at, 4)}`);
    }
    const length = this.#length();
    const { text: command, valid } = this.#command();
    if (length > MAX_PROTOCOL_MESSAGE_LENGTH) return this.#fail(`HEADER ERROR - SIZE (${command}, ${length} bytes)`);
    if (held < HEADER_BYTES + length) return null;
    const payload = buffer.slice(at + HEADER_BYTES, at + HEADER_BYTES + length);
    const wanted = hex(buffer, at + CHECKSUM_AT, 4);
    this.#start += HEADER_BYTES + length;
    if (this.#start === this.#end) this.#rest();
    const sum = hex(this.hashes.sha256d(payload), 0, 4);
    const size = HEADER_BYTES + length;
    if (sum !== wanted) {
      const fault = `CHECKSUM ERROR (${command}, ${length} bytes), expected ${sum} was ${wanted}`;
      return { command, payload: null, fault, size };
    }
    if (!valid) return { command, payload: null, fault: `HEADER ERROR - COMMAND (${command}, ${length} bytes)`, size };
    return { command, payload };
  }

  /** Everything was handed out: a large buffer is not kept for a peer that now sends little. */
  #rest(): void {
    this.#start = 0;
    this.#end = 0;
    if (this.#buffer.length > FIRST_ROOM) this.#buffer = new Uint8Array(FIRST_ROOM);
  }

  #length(): number {
    return new DataView(this.#buffer.buffer).getUint32(this.#start + LENGTH_AT, true);
  }

  /** The command up to its first zero; valid when it is printable and nothing follows the zeros. */
  #command(): { text: string; valid: boolean } {
    let text = '';
    let valid = true;
    let ended = false;
    for (let i = 0; i < COMMAND_BYTES; i++) {
      const byte = this.#buffer[this.#start + COMMAND_AT + i] as number;
      if (byte === 0) ended = true;
      else if (ended || byte < 0x20 || byte > 0x7e) valid = false;
      if (!ended && byte >= 0x20 && byte <= 0x7e) text += String.fromCharCode(byte);
    }
    return { text, valid };
  }

  #fail(fault: string): null {
    this.fault = fault;
    this.#buffer = new Uint8Array(0);
    this.#start = 0;
    this.#end = 0;
    return null;
  }
}

function hex(bytes: Uint8Array, at: number, length: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + at, length).toString('hex');
}
