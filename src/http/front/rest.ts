// Handles REST requests on a front (-rest). The front parses the request, the node thread answers with status and body,
// and the front adds the content type and the caching headers. Bytes of blocks never pass the node thread: it returns
// their place, and the front reads the block file. As in Core there are no credentials; the limits on addresses and
// sizes are those of RPC calls.
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

/** Functions of the front that the REST handler needs. */
export interface RestDeps {
  readonly compat: Compat;
  /** Folder of the block files. */
  readonly blocksDir: string;
  /** Message start (magic) of the network. */
  readonly magic: Uint8Array;
  readonly link: FrontLink;
  /** Returns the text of the current start phase; null after the start. */
  warmup(): string | null;
  /** Reads the body of a request. The bytes are valid until the handler returns. */
  readBody(exchange: Exchange, limit: number, done: (body: Uint8Array) => void): void;
  /** Sends a complete reply. */
  send(exchange: Exchange, reply: RestReply): void;
  /** Answers that the work queue is full. */
  refuse(exchange: Exchange): void;
  /** Logs an exception that no reply explains. */
  fault(error: unknown): void;
}

/** A complete reply. */
export interface RestReply {
  readonly status: number;
  readonly type: string;
  /** Parts of the body in order. */
  readonly body: readonly Uint8Array[];
  readonly extra?: Header;
}

/** Maximum size in bytes of a request body: a list of up to fifteen outpoints, possibly as hex. */
const BODY_BYTES = 64 * 1024;

/** Bytes that are converted to hex per event-loop tick: about a millisecond. */
const HEX_BYTES = 512 * 1024;

/** Number of blocks that are read and converted at once. fan-out.ts limits the number of blocks that are being sent. */
const BLOCKS_AT_ONCE = 3;

const NOTHING = new Uint8Array(0);
const CACHE = 'Cache-Control';
const CACHEABLE: Header = [CACHE, 'public, immutable, max-age=86400'];
/** Header of replies that caches must not store. */
export const NO_STORE: Header = [CACHE, 'no-store'];
/** Release since which Core sends caching headers. */
export const CACHE_RELEASE = 32;

const TYPES: Readonly<Record<Exclude<RestFormat, null>, string>> = { bin: TYPE_BYTES, hex: TYPE_TEXT, json: TYPE_JSON };

/** Returns whether a request target belongs to the REST interface. */
export const isRestTarget = (target: string): boolean => target.startsWith(REST_PREFIX);

/** REST handler of a front. */
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

  /** Handles a request whose target belongs to the REST interface. */
  handleRequest(exchange: Exchange): void {
    const warmup = this.#deps.warmup();
    if (warmup !== null) this.#fault(exchange, 503, `Service temporarily unavailable: ${warmup}`);
    else if (hasBody(exchange.uri)) this.#deps.readBody(exchange, BODY_BYTES, (body) => this.#read(exchange, body));
    else this.#read(exchange, NOTHING);
  }

  #read(exchange: Exchange, body: Uint8Array): void {
    try {
      const call = readRest(exchange.uri, body, this.#deps.compat);
      if (call === null) this.#send(exchange, { status: 404, type: TYPE_DEFAULT, body: [] });
      else this.#callNode(exchange, call, body);
    } catch (error) {
      this.#failed(exchange, error);
    }
  }

  #callNode(exchange: Exchange, call: RestCall, body: Uint8Array): void {
    const { link } = this.#deps;
    const sent = { user: '', uri: exchange.uri, method: `rest/${call.endpoint}`, body };
    const id = link.call({ ...sent, shared: true, priority: false, submission: false, waits: false, plain: true }, (status, reply) =>
      this.#answer(exchange, call, status, reply),
    );
    if (id === 0) this.#deps.refuse(exchange);
    else exchange.onDisconnect = () => link.cancel(id);
  }

  /** Handles the node thread's reply. @param body valid until this returns */
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

  /** Sends a reply with status 200. */
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

/** Converts bytes to hex with a line feed at the end, in parts. */
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
