// REST requests on a front (-rest): read here, answered by the node thread in status and body, dressed here with the
// type and for how long the reply may be kept. Bytes of blocks never pass the node thread: it says where they lie, and
// the front reads the file. No credentials, as in Core; addresses and bounds are those of calls. Used by front.ts.
import { createNativeHashes } from '../../crypto/native/hashes.js';
import { Semaphore } from '../../lib/semaphore.js';
import { yieldToLoop } from '../../lib/time-slice.js';
import type { FrontLink } from '../../link/front-link.js';
import { type Compat, shows } from '../../policy/compat.js';
import {
  hasBody,
  isStored,
  neverChanges,
  noSuchFormat,
  REST_PREFIX,
  type RestCall,
  RestFault,
  type RestFormat,
  readRest,
  type StoredCall,
} from '../../rpc/rest/request.js';
import { decodePlace, type StoredPlace } from '../../rpc/rest/stored.js';
import { BlockReader } from '../../storage/block-reader.js';
import type { Exchange, Header } from './exchange.js';
import { TYPE_BYTES, TYPE_DEFAULT, TYPE_JSON, TYPE_TEXT } from './pages.js';

/** What the REST side of a front needs of it. */
export interface RestDeps {
  readonly compat: Compat;
  /** Folder of the block files. */
  readonly blocksDir: string;
  /** Message start of the network. */
  readonly magic: Uint8Array;
  readonly link: FrontLink;
  /** The phase of the start, null after it. */
  warmup(): string | null;
  /** Reads the body of a request. The bytes are gone when the handler returns. */
  readBody(exchange: Exchange, limit: number, done: (body: Uint8Array) => void): void;
  /** Sends a whole reply. */
  send(exchange: Exchange, reply: RestReply): void;
  /** Too much is under way. */
  refuse(exchange: Exchange): void;
  /** Something that no reply explains, for the log. */
  fault(error: unknown): void;
}

/** A reply as it goes out. */
export interface RestReply {
  readonly status: number;
  readonly type: string;
  /** In parts. */
  readonly body: readonly Uint8Array[];
  readonly extra?: Header;
}

/** Bodies are lists of fifteen outpoints, perhaps as hex. */
const BODY_BYTES = 64 * 1024;

/** Hex is made of so many bytes at a time, with a turn of the loop between: a millisecond. */
const HEX_BYTES = 512 * 1024;

/** Blocks that are read and made ready at once; what is being sent is bounded elsewhere (fan-out.ts). */
const BLOCKS_AT_ONCE = 3;

const NOTHING = new Uint8Array(0);
const CACHE = 'Cache-Control';
const CACHEABLE: Header = [CACHE, 'public, immutable, max-age=86400'];
/** Said of replies that no cache may keep. */
export const NO_STORE: Header = [CACHE, 'no-store'];
/** Since this release. */
export const CACHE_RELEASE = 32;

const TYPES: Readonly<Record<Exclude<RestFormat, null>, string>> = { bin: TYPE_BYTES, hex: TYPE_TEXT, json: TYPE_JSON };

/** Whether a path is the REST interface's. */
export const isRestTarget = (target: string): boolean => target.startsWith(REST_PREFIX);

/** One per front. */
export class RestFront {
  readonly #deps: RestDeps;
  readonly #blocks: BlockReader;
  readonly #reads = new Semaphore(BLOCKS_AT_ONCE);
  readonly #noStore: Header | undefined;

  constructor(deps: RestDeps) {
    this.#deps = deps;
    this.#blocks = new BlockReader(deps.blocksDir, deps.magic, createNativeHashes());
    this.#noStore = shows(deps.compat, { since: CACHE_RELEASE }) ? NO_STORE : undefined;
  }

  /** Takes a request whose target isRestTarget. */
  handleRequest(exchange: Exchange): void {
    const warmup = this.#deps.warmup();
    if (warmup !== null) this.#fault(exchange, 503, `Service temporarily unavailable: ${warmup}`);
    else if (hasBody(exchange.target)) this.#deps.readBody(exchange, BODY_BYTES, (body) => this.#read(exchange, body));
    else this.#read(exchange, NOTHING);
  }

  #read(exchange: Exchange, body: Uint8Array): void {
    try {
      const call = readRest(exchange.target, body, this.#deps.compat);
      if (call === null) this.#send(exchange, { status: 404, type: TYPE_DEFAULT, body: [] });
      else this.#callNode(exchange, call, body);
    } catch (error) {
      this.#failed(exchange, error);
    }
  }

  #callNode(exchange: Exchange, call: RestCall, body: Uint8Array): void {
    const { link } = this.#deps;
    const sent = { user: '', uri: exchange.target, method: `rest/${call.endpoint}`, body };
    const id = link.call({ ...sent, shared: true, priority: false, submission: false, waits: false, plain: true }, (status, reply) =>
      this.#answer(exchange, call, status, reply),
    );
    if (id === 0) this.#deps.refuse(exchange);
    else exchange.onDisconnect = () => link.cancel(id);
  }

  /** @param body of the node thread's reply, gone when this returns */
  #answer(exchange: Exchange, call: RestCall, status: number, body: Uint8Array | string): void {
    if (status !== 200) this.#fault(exchange, status, Buffer.from(body).toString());
    else if (isStored(call)) void this.#sendStored(exchange, call, decodePlace(Buffer.from(body)));
    else this.#found(exchange, call, [Buffer.from(body)]);
  }

  async #sendStored(exchange: Exchange, call: StoredCall, place: StoredPlace): Promise<void> {
    try {
      await this.#reads.run(async () => {
        if (exchange.disconnected) return;
        const part = call.endpoint === 'blockpart' ? call.part : null;
        const bytes = await this.#blocks.read(place, call.hash.bytes, part && { offset: Number(part.offset), size: Number(part.size) });
        if (bytes === null) throw new RestFault(400, `Bad block part offset/size ${part?.offset}/${part?.size} for ${call.hash.text}`);
        if (call.format === null) noSuchFormat();
        if (call.format === 'json') throw new RestFault(400, 'JSON output is not supported for this request type');
        this.#found(exchange, call, call.format === 'hex' ? await hexLine(bytes) : [bytes]);
      });
    } catch (error) {
      if (error instanceof RestFault) this.#fault(exchange, error.status, error.message);
      else {
        this.#deps.fault(error);
        this.#fault(exchange, 500, `I/O error reading ${call.hash.text}`);
      }
    }
  }

  #failed(exchange: Exchange, error: unknown): void {
    if (!(error instanceof RestFault)) throw error;
    this.#fault(exchange, error.status, error.message);
  }

  /** A reply of 200. */
  #found(exchange: Exchange, call: RestCall, body: readonly Uint8Array[]): void {
    const extra = this.#noStore && (neverChanges(call) ? CACHEABLE : NO_STORE);
    this.#send(exchange, { status: 200, type: TYPES[call.format ?? 'bin'], body, ...(extra ? { extra } : {}) });
  }

  #fault(exchange: Exchange, status: number, message: string): void {
    this.#send(exchange, { status, type: TYPE_TEXT, body: [Buffer.from(`${message}\r\n`)] });
  }

  #send(exchange: Exchange, reply: RestReply): void {
    this.#deps.send(exchange, this.#noStore ? { extra: this.#noStore, ...reply } : reply);
  }
}

/** Bytes as hex and a line's end, in parts. */
async function hexLine(bytes: Uint8Array): Promise<Uint8Array[]> {
  const parts: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += HEX_BYTES) {
    if (at > 0) await yieldToLoop();
    parts.push(
      Buffer.from(Buffer.from(bytes.buffer, bytes.byteOffset + at, Math.min(HEX_BYTES, bytes.length - at)).toString('hex'), 'latin1'),
    );
  }
  parts.push(Buffer.from('\n'));
  return parts;
}
