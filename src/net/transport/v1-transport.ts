// Unencrypted transport (wire/frame.ts).
import type { SpareMemory } from '../../consensus/bytes/spare-memory.js';
import type { Hashes } from '../../crypto/crypto.js';
import { type BadFrame, encodeFrame, type Frame, FrameReader } from '../wire/frame.js';
import type { Transport } from './transport.js';

export class V1Transport implements Transport {
  readonly type = 'v1';
  readonly sessionId = null;
  readonly busy = false;
  readonly refused = false;
  readonly #reader: FrameReader;
  readonly #magic: Uint8Array;
  readonly #hashes: Hashes;
  readonly #write: (bytes: Uint8Array) => void;

  constructor(magic: Uint8Array, hashes: Hashes, write: (bytes: Uint8Array) => void, spare: SpareMemory | null = null) {
    this.#magic = magic;
    this.#hashes = hashes;
    this.#write = write;
    this.#reader = new FrameReader(magic, hashes, spare);
  }

  get fault(): string | null {
    return this.#reader.fault;
  }
  get held(): number {
    return this.#reader.held;
  }
  get ready(): boolean {
    return this.#reader.ready;
  }

  start(): void {}

  push(chunk: Uint8Array): void {
    this.#reader.push(chunk);
  }

  next(): Frame | BadFrame | null {
    return this.#reader.next();
  }

  send(command: string, payload: Uint8Array): number {
    const bytes = encodeFrame(this.#magic, command, payload, this.#hashes);
    this.#write(bytes);
    return bytes.length;
  }

  close(): void {}
}
