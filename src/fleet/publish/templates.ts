// Publishes templates to the fronts, one at a time, the newest next. The head is signed and names the digest of the
// deflated transactions. The pieces follow; after every few the socket is flushed, so that nothing piles up before a
// slow broker. A template is abandoned when its tip is replaced.
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { deflateRaw } from 'node:zlib';
import type { SlabRef } from '../../link/slab-ring.js';
import type { TemplateFacts } from '../../template/index.js';
import { encode, type TemplateHead } from '../messages.js';
import { split } from '../pieces.js';

const deflate = promisify(deflateRaw);

/** Fastest level of deflate: hex digits shrink to about half at any level. */
const LEVEL = 1;
/** Pieces between two flushes of the socket. */
const PIECES_AT_ONCE = 4;

export interface TemplatesDeps {
  /** Locks a slab's bytes; null if they were overwritten. */
  lease(place: SlabRef): SharedArrayBuffer | null;
  release(place: SlabRef): void;
  /** Publishes a head. @param large true if pieces follow */
  head(body: Uint8Array, large: boolean): void;
  piece(number: number, body: Uint8Array): void;
  /** Resolves when all published messages have been sent. */
  flushed(): Promise<void>;
  pieceBytes(): number;
  onFault(error: unknown): void;
}

interface Packed {
  readonly digestHex: string;
  readonly bytes: Uint8Array;
}

interface Waiting {
  readonly serial: number;
  readonly facts: TemplateFacts;
  readonly place: SlabRef | null;
}

export class TemplatePublications {
  readonly #deps: TemplatesDeps;
  #serial = 0;
  #next: Waiting | null = null;
  #newest: TemplateFacts | null = null;
  #last: { readonly head: TemplateHead; readonly packed: Packed | null } | null = null;
  #running = false;
  published = 0;
  bytes = 0;

  constructor(deps: TemplatesDeps) {
    this.#deps = deps;
  }

  /** Number of the newest template of this run; 0 before the first. */
  get serial(): number {
    return this.#serial;
  }

  /** Facts of the newest template. */
  get newest(): TemplateFacts | null {
    return this.#newest;
  }

  /** Returns the deflated transactions of the last publication; null if they have another digest. */
  packed(digestHex: string): Uint8Array | null {
    const packed = this.#last?.packed;
    return packed?.digestHex === digestHex ? packed.bytes : null;
  }

  /** Publishes a template of the node thread. */
  add(facts: TemplateFacts, place: SlabRef | null): void {
    this.#newest = facts;
    this.#next = { serial: ++this.#serial, facts, place };
    void this.#run();
  }

  /** Publishes the newest template again, after the broker was away. */
  async republish(): Promise<void> {
    if (this.#last === null || this.#running) return;
    const { head, packed } = this.#last;
    this.#running = true;
    await this.#publish(head, packed).finally(() => {
      this.#running = false;
    });
    void this.#run();
  }

  async #run(): Promise<void> {
    if (this.#running) return;
    this.#running = true;
    try {
      for (let next = this.#takeNext(); next; next = this.#takeNext()) await this.#packAndPublish(next);
    } catch (error) {
      this.#deps.onFault(error);
    } finally {
      this.#running = false;
    }
  }

  #takeNext(): Waiting | null {
    const next = this.#next;
    this.#next = null;
    return next;
  }

  async #packAndPublish({ serial, facts, place }: Waiting): Promise<void> {
    if (place === null) {
      const head: TemplateHead = { serial, facts, sizeBytes: 0, packedBytes: 0, pieces: 0, digestHex: '' };
      await this.#publish(head, null);
      return;
    }
    const buffer = this.#deps.lease(place);
    // The slab was overwritten, so a newer template follows.
    if (buffer === null) return;
    let packed: Packed;
    const sizeBytes = facts.transactionsLength;
    try {
      const bytes = await deflate(new Uint8Array(buffer, facts.transactionsOffset, sizeBytes), { level: LEVEL });
      packed = { bytes, digestHex: createHash('sha256').update(bytes).digest('hex') };
    } finally {
      this.#deps.release(place);
    }
    if (this.#overtaken(facts)) return;
    const pieces = split(packed.bytes, this.#deps.pieceBytes()).length;
    await this.#publish({ serial, facts, sizeBytes, packedBytes: packed.bytes.length, pieces, digestHex: packed.digestHex }, packed);
  }

  async #publish(head: TemplateHead, packed: Packed | null): Promise<void> {
    // Transactions that were sent already are not sent again: subscribers and the store have them.
    const known = packed !== null && packed.digestHex === this.#last?.packed?.digestHex && this.#last.head !== head;
    this.#last = { head, packed };
    this.#deps.head(encode(head), packed !== null);
    this.published++;
    if (packed === null || known) return;
    const pieces = split(packed.bytes, this.#deps.pieceBytes());
    for (const [number, bytes] of pieces.entries()) {
      this.#deps.piece(number, encode({ digestHex: packed.digestHex, bytes }));
      this.bytes += bytes.length;
      if ((number + 1) % PIECES_AT_ONCE === 0) await this.#deps.flushed();
      if (this.#overtaken(head.facts)) return;
    }
    await this.#deps.flushed();
  }

  /** Returns true if a template of another tip waits. Then fronts do not need the rest of this one. */
  #overtaken(facts: TemplateFacts): boolean {
    return this.#next !== null && this.#next.facts.prevHashHex !== facts.prevHashHex;
  }
}
