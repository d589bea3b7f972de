// Reads the body of a request: a known number of bytes, or chunks with extensions and trailers, as Core accepts them.
// Passes the pieces on without copying them.
import { CONTROLS, fieldColon, HeadFault, MOST_HEAD_BYTES, type RequestHead, trimmed } from './head.js';

/** Receives a piece of a body. `last` is true exactly once; that piece may be empty. */
export type TakePiece = (bytes: Buffer, last: boolean) => void;

const LF = 10;
const CR = 13;
const NOTHING = Buffer.alloc(0);

/** Smallest chunk size that is refused: larger than every body limit, and exact as a number. */
const MOST_SIZE = 2 ** 48;

type Expected = 'size' | 'data' | 'data end' | 'trailer' | 'nothing';

export class BodyReader {
  #expected: Expected;
  /** Bytes of the body, or of the current chunk, that are still missing. */
  #left: number;
  readonly #chunked: boolean;
  /** The beginning of a line whose end was not received yet. */
  #partialLine = '';
  /** Number of bytes of trailers that were received so far. */
  #trailers = 0;

  constructor({ chunked, contentLength }: Pick<RequestHead, 'chunked' | 'contentLength'>) {
    this.#chunked = chunked;
    this.#left = Math.max(0, contentLength);
    if (chunked) this.#expected = 'size';
    else this.#expected = this.#left > 0 ? 'data' : 'nothing';
  }

  /** True if the whole body was read. */
  get done(): boolean {
    return this.#expected === 'nothing';
  }

  /** Reads bytes of the body. @returns how many of them belong to this body @throws HeadFault */
  takeBytes(bytes: Buffer, piece: TakePiece): number {
    let at = 0;
    while (at < bytes.length && this.#expected !== 'nothing') {
      if (this.#expected === 'data') at = this.#takeData(bytes, at, piece);
      else if (this.#expected === 'data end' && this.#partialLine === '' && bytes[at] === CR && bytes[at + 1] === LF) {
        // Fast path for the usual CR LF after a chunk, because a chunk may have only one byte.
        at += 2;
        this.#expected = 'size';
      } else {
        const line = this.#takeLine(bytes, at);
        at = line === null ? bytes.length : line.next;
        if (line !== null) this.#takeText(line.text, piece);
      }
    }
    return at;
  }

  #takeData(bytes: Buffer, at: number, piece: TakePiece): number {
    const end = Math.min(bytes.length, at + this.#left);
    this.#left -= end - at;
    if (this.#left === 0) this.#expected = this.#chunked ? 'data end' : 'nothing';
    piece(at === 0 && end === bytes.length ? bytes : bytes.subarray(at, end), this.#expected === 'nothing');
    return end;
  }

  #takeLine(bytes: Buffer, at: number): { readonly text: string; readonly next: number } | null {
    const found = bytes.indexOf(LF, at);
    const end = found < 0 ? bytes.length : found;
    this.#partialLine += bytes.toString('latin1', at, end);
    if (this.#partialLine.length > MOST_HEAD_BYTES)
      throw new HeadFault(`a chunk size or trailer line of more than ${MOST_HEAD_BYTES} bytes`);
    if (found < 0) return null;
    const returned = this.#partialLine.endsWith('\r');
    const text = returned ? this.#partialLine.slice(0, -1) : this.#partialLine;
    this.#partialLine = '';
    if (CONTROLS.test(text) || text.includes('\r')) throw new HeadFault('a chunk with a control character in a line');
    // Refuse this line: HTTP servers disagree about where an extension ends if a bare line feed follows.
    if (!returned && this.#expected === 'size' && text.includes(';')) throw new HeadFault('a chunk with an extension and a bare line feed');
    return { text, next: found + 1 };
  }

  #takeText(text: string, piece: TakePiece): void {
    switch (this.#expected) {
      case 'size':
        this.#left = chunkSize(text);
        this.#expected = this.#left === 0 ? 'trailer' : 'data';
        break;
      case 'data end':
        if (text !== '') throw new HeadFault('a chunk that is longer than its size');
        this.#expected = 'size';
        break;
      default:
        if (text === '') {
          this.#expected = 'nothing';
          piece(NOTHING, true);
          break;
        }
        fieldColon(text);
        this.#trailers += text.length;
        if (this.#trailers > MOST_HEAD_BYTES) throw new HeadFault(`trailers of more than ${MOST_HEAD_BYTES} bytes`);
    }
  }
}

function chunkSize(line: string): number {
  const [size] = line.split(';', 1);
  const digits = trimmed(size);
  if (!/^[0-9a-fA-F]+$/.test(digits)) throw new HeadFault('a chunk without a size');
  const bytes = Number.parseInt(digits, 16);
  if (bytes >= MOST_SIZE) throw new HeadFault(`a chunk size of ${MOST_SIZE} bytes or more`);
  return bytes;
}
