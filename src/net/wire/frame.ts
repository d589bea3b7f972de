// Framing of unencrypted messages: a header of 24 bytes and the payload. FrameReader takes socket data in pieces of any
// size and returns whole messages. It never allocates memory for bytes that have not arrived, whatever length a header
// announces.

import { ByteQueue } from '../../consensus/bytes/byte-queue.js';
import type { SpareMemory } from '../../consensus/bytes/spare-memory.js';
import type { Hashes, Sha256Stream } from '../../crypto/crypto.js';
import { MAX_PROTOCOL_MESSAGE_LENGTH } from './protocol.js';

/**
 * Header of a message:
 *   0 magic 4 | 4 command 12, zero-padded ASCII | 16 payload length u32 | 20 first 4 bytes of the payload's double SHA-256
 */
export const HEADER_BYTES = 24;
const COMMAND_AT = 4;
/** Bytes of a command, here and in encrypted packets. */
export const COMMAND_BYTES = 12;
const LENGTH_AT = 16;
const CHECKSUM_AT = 20;

/** Longer payloads are hashed in steps of this size, some tenths of a millisecond each. */
const STEP_BYTES = 256 << 10;

/** A complete message. */
export interface Frame {
  readonly command: string;
  /** Empty if the command is unknown and the message came from another thread. */
  readonly payload: Uint8Array;
  /** Bytes of the payload, also if it was left out. */
  readonly length: number;
  /** Bytes on the wire. */
  readonly size: number;
  /**
   * Double SHA-256 of the payload if it was computed already (for a checksum, or for a transaction on another thread);
   * otherwise null.
   */
  readonly hash: Uint8Array | null;
}

/** Skipped bytes: a message of correct length with another fault, or a decoy. */
export interface BadFrame {
  readonly command: string;
  readonly payload: null;
  /** Fault as Core logs it; null: none. */
  readonly fault: string | null;
  /** Number of bytes skipped. */
  readonly size: number;
}

/** Encodes a message. @param magic 4 bytes @param command at most 12 ASCII characters */
export function encodeFrame(magic: Uint8Array, command: string, payload: Uint8Array, hashes: Hashes): Uint8Array {
  const bytes = new Uint8Array(HEADER_BYTES + payload.length);
  bytes.set(magic, 0);
  for (let i = 0; i < command.length; i++) bytes[COMMAND_AT + i] = command.charCodeAt(i);
  new DataView(bytes.buffer).setUint32(LENGTH_AT, payload.length, true);
  bytes.set(hashes.sha256d(payload).subarray(0, 4), CHECKSUM_AT);
  bytes.set(payload, HEADER_BYTES);
  return bytes;
}

/** Splits a stream into messages. */
export class FrameReader {
  /** Reason why the stream cannot continue; null while it can. */
  fault: string | null = null;
  readonly #bytes: ByteQueue;
  readonly #magic: Uint8Array;
  readonly #hashes: Hashes;
  /** Command of the last header, as bytes and as text. Most messages in a row are of one kind. */
  readonly #commandBytes = new Uint8Array(COMMAND_BYTES);
  #command = readCommand(this.#commandBytes);
  /** Hash of the first `#summed` bytes of the next payload, if it is long. */
  #sum: Sha256Stream | null = null;
  #summed = 0;

  /** @param spare memory for long payloads */
  constructor(magic: Uint8Array, hashes: Hashes, spare: SpareMemory | null = null) {
    this.#magic = magic;
    this.#hashes = hashes;
    this.#bytes = new ByteQueue(spare);
  }

  /** Bytes received and not handed out yet. */
  get held(): number {
    return this.#bytes.length;
  }

  /** True if next() returns something: a complete message, or a fault. */
  get ready(): boolean {
    const { held } = this;
    if (this.fault !== null || held < HEADER_BYTES) return false;
    if (!this.#hasMagic()) return true;
    const length = this.#lengthAt();
    return length > MAX_PROTOCOL_MESSAGE_LENGTH || held >= HEADER_BYTES + length;
  }

  // Header fields are read in place: creating a view takes longer than reading them.

  #hasMagic(): boolean {
    for (let i = 0; i < 4; i++) if (this.#bytes.byteAt(i) !== this.#magic[i]) return false;
    return true;
  }

  /** Returns the length of the next payload. */
  #lengthAt(): number {
    const bytes = this.#bytes;
    const low = bytes.byteAt(LENGTH_AT) | (bytes.byteAt(LENGTH_AT + 1) << 8) | (bytes.byteAt(LENGTH_AT + 2) << 16);
    return (low | (bytes.byteAt(LENGTH_AT + 3) << 24)) >>> 0;
  }

  /** Returns four bytes of the header, big-endian. */
  #wordAt(at: number): number {
    const bytes = this.#bytes;
    const high = (bytes.byteAt(at) << 24) | (bytes.byteAt(at + 1) << 16) | (bytes.byteAt(at + 2) << 8);
    return (high | bytes.byteAt(at + 3)) >>> 0;
  }

  #commandHere(): { readonly text: string; readonly valid: boolean } {
    let same = true;
    for (let i = 0; i < COMMAND_BYTES; i++) {
      const byte = this.#bytes.byteAt(COMMAND_AT + i);
      if (this.#commandBytes[i] === byte) continue;
      this.#commandBytes[i] = byte;
      same = false;
    }
    if (!same) this.#command = readCommand(this.#commandBytes);
    return this.#command;
  }

  /** Adds bytes from the socket. They are copied. */
  push(chunk: Uint8Array): void {
    if (this.fault === null) this.#bytes.push(chunk);
  }

  /**
   * Returns the next message; null if more bytes are needed, the stream has a fault, or hashing a long message takes
   * more steps (see `ready`). The payload belongs to the caller.
   */
  next(): Frame | BadFrame | null {
    const { held } = this;
    if (this.fault !== null || held < HEADER_BYTES) return null;
    const length = this.#lengthAt();
    const wanted = this.#wordAt(CHECKSUM_AT);
    const { text: command, valid } = this.#commandHere();
    if (!this.#hasMagic()) {
      return this.#fail(`HEADER ERROR - MESSAGESTART (${command}, ${length} bytes), received ${hex(this.#wordAt(0))}`);
    }
    if (length > MAX_PROTOCOL_MESSAGE_LENGTH) return this.#fail(`HEADER ERROR - SIZE (${command}, ${length} bytes)`);
    const size = HEADER_BYTES + length;
    if (held < size) return null;
    const hash = length > STEP_BYTES ? this.#hashOn(length) : this.#hashes.sha256d(this.#payload(0, length));
    if (hash === null) return null;
    this.#bytes.drop(HEADER_BYTES);
    const payload = this.#bytes.takeBytes(length);
    const sum = ((hash[0] << 24) | (hash[1] << 16) | (hash[2] << 8) | hash[3]) >>> 0;
    if (sum !== wanted) {
      const fault = `CHECKSUM ERROR (${command}, ${length} bytes), expected ${hex(sum)} was ${hex(wanted)}`;
      return { command, payload: null, fault, size };
    }
    if (!valid) return { command, payload: null, fault: `HEADER ERROR - COMMAND (${command}, ${length} bytes)`, size };
    return { command, payload, length, size, hash };
  }

  /** Returns a view of the next payload. */
  #payload(from: number, end: number): Uint8Array {
    return this.#bytes.peek(end - from, HEADER_BYTES + from);
  }

  /** Runs the next step of a long payload's double hash. @returns null until it is done */
  #hashOn(length: number): Uint8Array | null {
    this.#sum ??= this.#hashes.sha256Stream();
    const end = Math.min(length, this.#summed + STEP_BYTES);
    this.#sum.update(this.#payload(this.#summed, end));
    this.#summed = end;
    if (end < length) return null;
    const hash = this.#hashes.sha256(this.#sum.digest());
    this.#sum = null;
    this.#summed = 0;
    return hash;
  }

  #fail(fault: string): null {
    this.fault = fault;
    this.#bytes.clear();
    return null;
  }
}

/** Decodes a command up to its first zero. Valid if it is printable and only zeros follow. @param bytes 12 */
export function readCommand(bytes: Uint8Array): { readonly text: string; readonly valid: boolean } {
  let text = '';
  let valid = true;
  let ended = false;
  for (const byte of bytes) {
    if (byte === 0) ended = true;
    else if (ended || byte < 0x20 || byte > 0x7e) valid = false;
    if (!ended && byte >= 0x20 && byte <= 0x7e) text += String.fromCharCode(byte);
  }
  return { text, valid };
}

/** @param word four bytes, big-endian */
const hex = (word: number): string => word.toString(16).padStart(8, '0');
