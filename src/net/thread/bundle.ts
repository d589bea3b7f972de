// Bundles of messages between the node thread and the peers' thread: many small messages in one piece of memory, which
// is transferred. Layout of a message:
//
//   0 length u32 | 4 size u32 | 8 connection u32 | 12 name u8 | 13 hash u8, 1 if there is one | 14 left u8, 1 if the
//   payload was left out | 15 unused | [name 12, if its number is 255] [hash 32] [payload]
import { MESSAGES } from '../wire/protocol.js';

const HEAD_BYTES = 16;
const NAME_BYTES = 12;
const HASH_BYTES = 32;
const UNNUMBERED = 255;
const numbers = new Map<string, number>(MESSAGES.map((name, i) => [name, i]));

/** A message that crosses between threads. */
export interface PackedMessage {
  readonly connection: number;
  /** At most 12 ASCII characters. */
  readonly command: string;
  readonly payload: Uint8Array;
  /** Bytes of the payload, also if it was left out. */
  readonly length: number;
  /** Bytes on the wire; 0 if unknown. */
  readonly size: number;
  /** Double SHA-256 of the payload, 32 bytes, or null. */
  readonly hash: Uint8Array | null;
}

/** Returns the bytes of a message in a bundle. */
export function packedBytes({ command, payload, hash }: PackedMessage): number {
  return HEAD_BYTES + (numbers.has(command) ? 0 : NAME_BYTES) + (hash === null ? 0 : HASH_BYTES) + payload.length;
}

/** Copies messages into one bundle. @param total sum of packedBytes */
export function packMessages(messages: readonly PackedMessage[], total: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(total);
  const view = new DataView(bytes.buffer);
  let at = 0;
  for (const { connection: line, command, payload, length, size, hash } of messages) {
    const number = numbers.get(command) ?? UNNUMBERED;
    view.setUint32(at, length, true);
    view.setUint32(at + 4, size, true);
    view.setUint32(at + 8, line, true);
    bytes[at + 12] = number;
    bytes[at + 13] = hash === null ? 0 : 1;
    bytes[at + 14] = payload.length < length ? 1 : 0;
    at += HEAD_BYTES;
    if (number === UNNUMBERED) {
      for (let i = 0; i < command.length && i < NAME_BYTES; i++) bytes[at + i] = command.charCodeAt(i);
      at += NAME_BYTES;
    }
    if (hash !== null) {
      bytes.set(hash, at);
      at += HASH_BYTES;
    }
    bytes.set(payload, at);
    at += payload.length;
  }
  return bytes;
}

/** Reads a bundle, message by message. */
export class BundleReader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  }

  get done(): boolean {
    return this.#at >= this.#bytes.length;
  }

  /**
   * Returns the next message. There must be one.
   * @param copies whether to copy payloads; a view keeps the whole bundle in memory
   */
  next(copies: boolean): PackedMessage {
    const bytes = this.#bytes;
    const view = this.#view;
    let at = this.#at;
    const length = view.getUint32(at, true);
    const size = view.getUint32(at + 4, true);
    const connection = view.getUint32(at + 8, true);
    const number = bytes[at + 12];
    const hasHash = bytes[at + 13] === 1;
    const present = bytes[at + 14] === 1 ? 0 : length;
    at += HEAD_BYTES;
    let command = MESSAGES[number] as string;
    if (number === UNNUMBERED) {
      command = nameAt(bytes, at);
      at += NAME_BYTES;
    }
    const hash = hasHash ? bytes.slice(at, at + HASH_BYTES) : null;
    if (hasHash) at += HASH_BYTES;
    const payload = copies ? bytes.slice(at, at + present) : bytes.subarray(at, at + present);
    this.#at = at + present;
    return { connection: connection, command, payload, length, size, hash };
  }
}

function nameAt(bytes: Uint8Array, at: number): string {
  let name = '';
  for (let i = at; i < at + NAME_BYTES && bytes[i] !== 0; i++) name += String.fromCharCode(bytes[i]);
  return name;
}
