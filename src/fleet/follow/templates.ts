// Assembles the followed node's templates. A head names the pieces that belong together. Pieces arrive as messages, or
// are read from the store or requested from the node. A complete template is checked against the head's digest,
// inflated off the event loop, and written into a slab.
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { inflateRaw } from 'node:zlib';
import type { SlabRing } from '../../link/slab-ring.js';
import type { TemplateFacts } from '../../template/index.js';
import { MOST_TEMPLATE_BYTES, MOST_TEMPLATE_PIECES, type TemplateHead, type TemplatePiece } from '../messages.js';

const inflate = promisify(inflateRaw);

export interface TemplatesDeps {
  readonly slabs: SlabRing;
  /** Returns pieces that did not arrive; null if neither the store nor the node has them. */
  fetch(node: string, head: TemplateHead): Promise<Uint8Array | null>;
  /** Publishes a complete template. @param transactions JSON array, as in the slab of the facts; null if there are none */
  publish(facts: TemplateFacts, transactions: Uint8Array | null, from: { readonly node: string; readonly serial: number }): void;
  onFault(text: string): void;
  after(ms: number, run: () => void): () => void;
}

/** Time after which missing pieces are fetched. */
const LATE_MS = 700;
const RETRY_MS = 300;
/** Number of templates that are assembled at a time, each within the size limit of a head. */
const MOST_OPEN = 3;

interface Parts {
  readonly pieces: Map<number, Uint8Array>;
  sizeBytes: number;
}

export class TemplateIntake {
  readonly #deps: TemplatesDeps;
  readonly #parts = new Map<string, Parts>();
  #wanted: { readonly node: string; readonly head: TemplateHead } | null = null;
  /** The transactions in the slab that was published last. */
  #unpacked: { readonly digestHex: string; readonly index: number; readonly plain: Uint8Array } | null = null;
  #cancelLate: (() => void) | null = null;
  #busy = false;
  received = 0;
  bytes = 0;

  constructor(deps: TemplatesDeps) {
    this.#deps = deps;
  }

  /** Sets the template to assemble. @param soon true if it was published earlier: its pieces will not arrive as messages */
  wantTemplate(node: string, head: TemplateHead, soon: boolean): void {
    this.#wanted = { node, head };
    this.#cancelLate?.();
    this.#cancelLate = null;
    if (head.pieces > 0 && head.digestHex !== this.#unpacked?.digestHex) {
      this.#cancelLate = this.#deps.after(soon ? 0 : LATE_MS, () => void this.#fetch());
    }
    void this.#publishWanted();
  }

  /** Takes a piece. Pieces are not signed: the whole is checked against the head's digest, and excess pieces are dropped. */
  takePiece(number: number, { digestHex, bytes }: TemplatePiece): void {
    let parts = this.#parts.get(digestHex);
    if (!(number < MOST_TEMPLATE_PIECES) || parts?.pieces.has(number)) return;
    if (bytes.length + (parts?.sizeBytes ?? 0) > MOST_TEMPLATE_BYTES) return;
    if (!parts) {
      parts = { pieces: new Map(), sizeBytes: 0 };
      this.#parts.set(digestHex, parts);
      for (const old of this.#parts.keys()) {
        if (this.#parts.size <= MOST_OPEN) break;
        if (old !== this.#wanted?.head.digestHex) this.#parts.delete(old);
      }
    }
    this.bytes += bytes.length;
    parts.sizeBytes += bytes.length;
    parts.pieces.set(number, new Uint8Array(bytes));
    void this.#publishWanted();
  }

  /** Publishes the wanted template if it is complete. */
  async #publishWanted(): Promise<void> {
    if (this.#busy) return;
    this.#busy = true;
    try {
      for (let wanted = this.#wanted; wanted !== null; wanted = this.#wanted) {
        if (!(await this.#tryPublish(wanted))) return;
      }
    } catch (error) {
      this.#deps.onFault(`a template could not be processed: ${(error as Error).message}`);
    } finally {
      this.#busy = false;
    }
  }

  /** Publishes a template if all its pieces are here. @returns false if pieces are missing */
  async #tryPublish(wanted: { readonly node: string; readonly head: TemplateHead }): Promise<boolean> {
    const { node, head } = wanted;
    if (head.pieces === 0) {
      this.#done(wanted);
      this.#deps.publish({ ...head.facts, slabIndex: -1, transactionsOffset: 0, transactionsLength: 0 }, null, {
        node,
        serial: head.serial,
      });
      return true;
    }
    if (this.#unpacked?.digestHex === head.digestHex) {
      this.#publish(wanted, this.#unpacked);
      return true;
    }
    const pieces = this.#parts.get(head.digestHex)?.pieces;
    if (!pieces || pieces.size < head.pieces) return false;
    const ordered: Uint8Array[] = [];
    for (let i = 0; i < head.pieces; i++) {
      const piece = pieces.get(i);
      if (!piece) return false;
      ordered.push(piece);
    }
    const packed = Buffer.concat(ordered);
    this.#parts.delete(head.digestHex);
    if (createHash('sha256').update(packed).digest('hex') !== head.digestHex) {
      this.#deps.onFault(`the pieces of a template of ${node} do not match its head. They are requested again.`);
      this.#retryLater();
      return false;
    }
    await this.#unpack(wanted, packed);
    return true;
  }

  async #unpack(wanted: { readonly node: string; readonly head: TemplateHead }, packed: Uint8Array): Promise<void> {
    const { head } = wanted;
    const plain = await inflate(packed, { maxOutputLength: Math.max(1, head.sizeBytes) });
    if (plain.length !== head.sizeBytes) {
      this.#done(wanted);
      throw new Error('its length differs from its head');
    }
    const slab = await this.#deps.slabs.takeSlabWhenFree(head.sizeBytes);
    // Do not publish this template if meanwhile a template of another tip is wanted.
    if (this.#wanted !== wanted && this.#wanted?.head.facts.prevHashHex !== head.facts.prevHashHex) {
      this.#deps.slabs.discard(slab);
      return;
    }
    new Uint8Array(slab.buffer).set(plain);
    this.#unpacked = { digestHex: head.digestHex, index: slab.index, plain };
    this.#publish(wanted, this.#unpacked);
  }

  #publish(
    wanted: { readonly node: string; readonly head: TemplateHead },
    { index, plain }: { readonly index: number; readonly plain: Uint8Array },
  ): void {
    const { node, head } = wanted;
    this.#done(wanted);
    this.received++;
    const facts = { ...head.facts, slabIndex: index, transactionsOffset: 0, transactionsLength: head.sizeBytes };
    this.#deps.publish(facts, plain, { node, serial: head.serial });
  }

  #done(wanted: object): void {
    if (this.#wanted !== wanted) return;
    this.#wanted = null;
    this.#cancelLate?.();
    this.#cancelLate = null;
  }

  #retryLater(): void {
    this.#cancelLate?.();
    this.#cancelLate = this.#deps.after(RETRY_MS, () => void this.#fetch());
  }

  async #fetch(): Promise<void> {
    const wanted = this.#wanted;
    if (wanted === null) return;
    const packed = await this.#deps.fetch(wanted.node, wanted.head).catch(() => null);
    if (this.#wanted !== wanted) return;
    if (packed === null) {
      this.#retryLater();
      return;
    }
    this.#parts.set(wanted.head.digestHex, {
      sizeBytes: packed.length,
      pieces: new Map(Array.from({ length: wanted.head.pieces }, (_, i) => [i, i === 0 ? packed : new Uint8Array(0)])),
    });
    void this.#publishWanted();
  }
}
