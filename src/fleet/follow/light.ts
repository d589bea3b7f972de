// Light templates of the nodes, and blocks made from them. The node that made a light template holds its transactions,
// and so does the front that passed the template on. So the front can send a block on the template, with all its
// transactions, to every node and into the stream, even if the node that made the template fails.

import { DecodeError } from '../../consensus/bytes/reader.js';
import { ByteWriter } from '../../consensus/bytes/writer.js';
import { parseTx } from '../../consensus/tx/tx-view.js';
import type { Hashes } from '../../crypto/crypto.js';
import type { TemplateFacts } from '../../template/index.js';
import { bytesOfTransactions } from './transaction-bytes.js';

/** Maximum number of retained templates, and of blocks until a template is dropped. A node has the same limits. */
const MOST = 64;
const RETAINED_BLOCKS = 2;
const HEADER_BYTES = 80;
/** Largest reply that can be a light template. Other templates are longer, or have no workid. */
const MOST_REPLY_BYTES = 64 * 1024;
/** Largest body with header, coinbase and envelope. */
const MOST_BODY_BYTES = 256 * 1024;

interface Newest {
  readonly workId: string;
  readonly height: number;
  readonly transactions: Uint8Array | null;
}

interface Held {
  readonly height: number;
  readonly count: number;
  readonly bytes: Uint8Array;
}

/** A submission whose block is complete. The block's bytes are apart from the body. */
export interface WholeSubmission {
  readonly body: Uint8Array;
  readonly block: { readonly token: string; readonly bytes: Uint8Array };
}

export class LightTemplates {
  /** The newest template of the followed node. */
  #newest: Newest | null = null;
  /** Templates by workid; null until the template itself arrives. */
  readonly #held = new Map<string, Held | null>();
  readonly #hashes: Hashes;
  readonly #token: () => string;

  constructor(hashes: Hashes, token: () => string) {
    this.#hashes = hashes;
    this.#token = token;
  }

  get size(): number {
    return this.#held.size;
  }

  /** Takes a new template of the followed node. @param transactions JSON array; null if there are none */
  takeTemplate({ live, height }: TemplateFacts, transactions: Uint8Array | null): void {
    for (const [workId, held] of this.#held) if (held !== null && height > held.height + RETAINED_BLOCKS) this.#held.delete(workId);
    if (live === null) return;
    this.#newest = { workId: live.workId, height, transactions };
    if (this.#held.get(live.workId) === null) this.#holdTransactions(this.#newest);
  }

  /** Notes a node's answer to getblocktemplate. If it is a light template, its transactions are held. */
  noteReply(body: Uint8Array | string): void {
    if (body.length > MOST_REPLY_BYTES) return;
    const workId = workIdOf(typeof body === 'string' ? body : Buffer.from(body.buffer, body.byteOffset, body.length).toString());
    if (workId === null || this.#held.has(workId)) return;
    this.#held.set(workId, null);
    if (this.#held.size > MOST) this.#held.delete(this.#held.keys().next().value as string);
    if (this.#newest?.workId === workId) this.#holdTransactions(this.#newest);
  }

  #holdTransactions({ workId, height, transactions }: Newest): void {
    const { bytes, lengths } = bytesOfTransactions(transactions);
    this.#held.set(workId, { height, count: lengths.length, bytes });
  }

  /**
   * Returns the complete block of a submission with a workid.
   * @returns null if it is not such a submission, or its template is not held
   */
  completeBlock(body: Uint8Array): WholeSubmission | null {
    if (body.length > MOST_BODY_BYTES || !Buffer.from(body.buffer, body.byteOffset, body.length).includes('workid')) return null;
    let request: { params?: unknown };
    try {
      request = JSON.parse(Buffer.from(body).toString()) as { params?: unknown };
    } catch {
      return null;
    }
    if (!Array.isArray(request?.params)) return null;
    const [hex, parameters] = request.params as [unknown, { workid?: unknown } | undefined];
    const held = typeof parameters?.workid === 'string' ? this.#held.get(parameters.workid) : null;
    if (!held || typeof hex !== 'string' || !/^(?:[0-9a-fA-F]{2})+$/.test(hex)) return null;
    const bytes = new Uint8Array(Buffer.from(hex, 'hex'));
    if (!this.#isHeaderAndCoinbase(bytes)) return null;
    const token = this.#token();
    const block = new ByteWriter(bytes.length + 9 + held.bytes.length)
      .bytes(bytes.subarray(0, HEADER_BYTES))
      .compactSize(held.count + 1)
      .bytes(bytes.subarray(HEADER_BYTES))
      .bytes(held.bytes)
      .finish();
    return { body: new Uint8Array(Buffer.from(JSON.stringify({ ...request, params: [token] }))), block: { token, bytes: block } };
  }

  #isHeaderAndCoinbase(bytes: Uint8Array): boolean {
    if (bytes.length <= HEADER_BYTES) return false;
    try {
      return parseTx(bytes.slice(HEADER_BYTES), this.#hashes, { exact: true }).isCoinbase;
    } catch (error) {
      if (error instanceof DecodeError) return false;
      throw error;
    }
  }
}

/** Returns the workid in a reply's result. The reply is parsed, because the client chose its id and may have put a workid there. */
function workIdOf(text: string): string | null {
  if (!text.includes('"workid"')) return null;
  try {
    const { result } = JSON.parse(text) as { result?: { workid?: unknown } | null };
    const workId = result?.workid;
    return typeof workId === 'string' && /^[\w-]{1,64}$/.test(workId) ? workId : null;
  } catch {
    return null;
  }
}
