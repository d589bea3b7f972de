// Streams templates as server-sent events. GET /template/stream sends one event for each published template, with its
// id and totals; ?full=1 sends whole templates. A reader that is slower than the templates skips to the newest one.
import { longPollId } from '../../template/render-template.js';
import type { TemplateSnapshot } from '../../template/view/template-view.js';
import type { Exchange } from './exchange.js';

/** Path of the stream. */
const STREAM_PATH = '/template/stream';

/** Returns whether a request asks for a stream of templates. */
export function isStream({ method, uri }: Exchange): boolean {
  return method === 'GET' && (uri === STREAM_PATH || uri.startsWith(`${STREAM_PATH}?`));
}

const TYPE_EVENTS = 'text/event-stream';
const PIECE_BYTES = 256 * 1024;
/** Interval of comment lines in the stream. They keep proxies and idle timeouts from closing a quiet stream. */
const COMMENT_MS = 5000;
const COMMENT = Buffer.from(':\n\n');
const END = Buffer.from('\n\n');

/** An event that is being sent. */
interface Sending {
  readonly parts: readonly Uint8Array[];
  readonly slabIndex: number;
  readonly release: () => void;
  part: number;
  offset: number;
}

interface Reader {
  readonly exchange: Exchange;
  readonly full: boolean;
  sending: Sending | null;
  /** Id of the newest template that the reader was sent. */
  last: string;
  /** True if a newer template than the one being sent was published. */
  behind: boolean;
  blocked: boolean;
}

export class TemplateStreams {
  readonly #newest: () => TemplateSnapshot | null;
  readonly #readers = new Set<Reader>();
  #comments: NodeJS.Timeout | null = null;

  /** @param newest returns a lease of the current template, which the stream releases; null if there is no template */
  constructor(newest: () => TemplateSnapshot | null) {
    this.#newest = newest;
  }

  /** Number of open streams. */
  get size(): number {
    return this.#readers.size;
  }

  /** Opens a stream for an authenticated request. The first event is the current template. */
  open(exchange: Exchange): void {
    const query = new URLSearchParams(exchange.uri.slice(STREAM_PATH.length));
    const reader: Reader = { exchange, full: query.get('full') === '1', sending: null, last: '', behind: true, blocked: false };
    this.#readers.add(reader);
    exchange.onDisconnect = () => this.#remove(reader);
    const started = exchange.startPieces(TYPE_EVENTS, ['Cache-Control', 'no-store'], () => {
      reader.blocked = false;
      this.#startEvent(reader);
    });
    if (!started) {
      this.#remove(reader);
      return;
    }
    this.#write(reader, COMMENT);
    this.#comments ??= setInterval(() => this.#comment(), COMMENT_MS);
    this.#startEvent(reader);
  }

  /** Sends the current template to all readers. Called when a template was published, or when its tip became known. */
  published(): void {
    for (const reader of this.#readers) {
      reader.behind = true;
      this.#runIsolated(reader, () => this.#startEvent(reader));
    }
  }

  /** Disconnects every reader of a slab. @returns number of disconnected readers */
  evict(slabIndex: number): number {
    const slow = [...this.#readers].filter(({ sending }) => sending?.slabIndex === slabIndex);
    for (const { exchange } of slow) exchange.close();
    return slow.length;
  }

  /** Ends all streams, because the server stops. */
  close(): void {
    for (const reader of [...this.#readers]) {
      const { exchange } = reader;
      this.#remove(reader);
      exchange.endStream();
    }
  }

  #remove(reader: Reader): void {
    if (!this.#readers.delete(reader)) return;
    reader.sending?.release();
    reader.sending = null;
    if (this.#readers.size === 0 && this.#comments !== null) {
      clearInterval(this.#comments);
      this.#comments = null;
    }
  }

  #comment(): void {
    for (const reader of this.#readers) {
      if (reader.sending === null && !reader.blocked) this.#runIsolated(reader, () => this.#write(reader, COMMENT));
    }
  }

  /**
   * Runs a step of one reader. If its socket throws, its connection is closed and the error goes to the thread's
   * handler; the other readers are not affected.
   */
  #runIsolated(reader: Reader, run: () => void): void {
    try {
      run();
    } catch (error) {
      this.#remove(reader);
      setImmediate(() => {
        throw error;
      });
      reader.exchange.close();
    }
  }

  /**
   * Starts the next event if a newer template exists. Writes one piece per event-loop tick, so that a large event
   * delays no other work.
   */
  #startEvent(reader: Reader): void {
    if (reader.blocked || !this.#readers.has(reader)) return;
    if (reader.sending === null) {
      if (!reader.behind) return;
      reader.behind = false;
      reader.sending = this.#event(reader);
      if (reader.sending === null) return;
      this.#piece(reader, reader.sending);
    }
  }

  #piece(reader: Reader, sending: Sending): void {
    if (reader.sending !== sending || !this.#readers.has(reader)) return;
    if (!reader.blocked) {
      const part = sending.parts[sending.part];
      const piece = part.subarray(sending.offset, sending.offset + PIECE_BYTES);
      sending.offset += piece.byteLength;
      if (sending.offset === part.byteLength) {
        sending.part++;
        sending.offset = 0;
      }
      this.#write(reader, piece);
      if (sending.part === sending.parts.length) {
        sending.release();
        reader.sending = null;
        this.#startEvent(reader);
        return;
      }
    }
    // Continue in the next tick, or after 10 ms if the socket is full.
    const goOn = (): void => this.#runIsolated(reader, () => this.#piece(reader, sending));
    if (reader.blocked) setTimeout(goOn, 10);
    else setImmediate(goOn);
  }

  #write(reader: Reader, bytes: Uint8Array): void {
    if (!reader.exchange.writeStream(bytes)) reader.blocked = true;
  }

  /** Returns an event with the current template; null if the reader has it already. */
  #event(reader: Reader): Sending | null {
    const snapshot = this.#newest();
    if (snapshot === null) return null;
    const { facts, parts, slabIndex, release } = snapshot;
    const id = longPollId(facts);
    if (id === reader.last) {
      release();
      return null;
    }
    reader.last = id;
    const head = Buffer.from(`id: ${id}\nevent: template\ndata: `);
    if (reader.full) return { parts: [head, ...parts, END], slabIndex, release, part: 0, offset: 0 };
    release();
    const totals = {
      longpollid: id,
      previousblockhash: facts.prevHashHex,
      height: facts.height,
      coinbasevalue: facts.coinbaseValue,
      totalfees: facts.fees,
      transactioncount: facts.txCount,
      weight: facts.weight,
      empty: facts.live?.empty ?? false,
      workid: facts.live?.workId ?? null,
    };
    return {
      parts: [Buffer.concat([head, Buffer.from(JSON.stringify(totals)), END])],
      slabIndex: -1,
      release: () => {},
      part: 0,
      offset: 0,
    };
  }
}
