// A second port for clients whose HTTP the fronts' transport refuses (-rpclenientport): bare line feeds (ckpool),
// HTTP/1.0 (p2pool), no Host, requests sent ahead of replies. It reads leniently and hands each request to a front over
// loopback, so credentials, methods, long polls and replies are the fronts' own; only who may connect is checked here,
// because a front sees this thread as its peer. Runs in a thread of its own (workers/lenient.ts), which exists only
// with the option.
import http from 'node:http';
import net from 'node:net';
import { AddressFilter } from '../front/access.js';
import { LARGE_BODY_BYTES } from '../front/scan-method.js';
import { type HttpBind, type HttpSubnet, RELAY_HEADER } from '../options.js';

/** What the listener is told; crosses to its thread. */
export interface LenientOptions {
  readonly binds: readonly HttpBind[];
  /** A front's port, reached over loopback or its own address. */
  readonly target: HttpBind;
  readonly allow: readonly HttpSubnet[];
  /** Seconds a request may take to arrive, and a socket may be idle. */
  readonly serverTimeoutSeconds: number;
  /** Lets a front believe which client this is. */
  readonly relayToken: string;
}

const MOST_CHECK_MS = 30_000;
const MAX_CONNECTIONS = 1_024;
/** Of addresses that are refused. */
export const MAX_STRANGERS = 64;
/** Requests that a client may send ahead of the replies. */
const MOST_WAITING = 64;
/** As the fronts'. */
const MAX_HEAD_BYTES = 8_192;
/** Headers that mean something to a front; the rest is this connection's own business. */
const PASSED_ON = ['authorization', 'content-type', 'content-length', 'transfer-encoding'] as const;
/** Headers of the reply that are the front's to say. */
const PASSED_BACK: ReadonlySet<string> = new Set([
  'content-type',
  'date',
  'content-length',
  'transfer-encoding',
  'www-authenticate',
  'allow',
  'cache-control',
]);
type Headers = Record<string, string>;

function pick(from: http.IncomingHttpHeaders, names: readonly string[]): Headers {
  const picked: Headers = {};
  for (const name of names) {
    const value = from[name];
    if (typeof value === 'string') picked[name] = value;
  }
  return picked;
}

/** The front's headers as it wrote them, in its order. */
function passedBack(answer: http.IncomingMessage): string[] {
  const raw = answer.rawHeaders;
  const headers: string[] = [];
  for (let i = 0; i + 1 < raw.length; i += 2) if (PASSED_BACK.has(raw[i].toLowerCase())) headers.push(raw[i], raw[i + 1]);
  return headers;
}

/** 4 or 16 bytes of an address as sockets name it. */
function addressBytes(text: string | undefined): Uint8Array {
  const v4 = /(?:^|:)(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(text ?? '');
  if (v4) return Uint8Array.from(v4.slice(1).map(Number));
  const bytes = new Uint8Array(16);
  if (!text || !net.isIPv6(text)) return bytes;
  const [left = '', right] = text.split('%')[0].split('::');
  const groups = (part: string): number[] => (part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16)));
  const head = groups(left);
  const tail = right === undefined ? [] : groups(right);
  const all = [...head, ...new Array<number>(8 - head.length - tail.length).fill(0), ...tail];
  all.forEach((group, i) => {
    bytes[2 * i] = group >> 8;
    bytes[2 * i + 1] = group & 255;
  });
  return bytes;
}

export class LenientListener {
  readonly #options: LenientOptions;
  readonly #addresses: AddressFilter;
  readonly #servers: http.Server[] = [];
  /** Requests behind the one that a connection waits for. */
  readonly #waiting = new WeakMap<net.Socket, [http.IncomingMessage, http.ServerResponse][]>();

  constructor(options: LenientOptions) {
    this.#options = options;
    this.#addresses = new AddressFilter(options.allow);
  }

  /**
   * Listens on every address that works.
   * @throws the last socket's error when none does
   */
  async listen(): Promise<HttpBind[]> {
    const bound: HttpBind[] = [];
    let fault: Error | undefined;
    for (const { host, port } of this.#options.binds) {
      try {
        const server = await this.#listenOn(host, port);
        this.#servers.push(server);
        bound.push({ host, port: (server.address() as net.AddressInfo).port });
      } catch (error) {
        fault = error as Error;
      }
    }
    if (bound.length === 0 && fault) throw fault;
    return bound;
  }

  async close(): Promise<void> {
    await Promise.all(
      this.#servers.map(
        (server) =>
          new Promise<void>((resolve) => {
            server.close(() => resolve());
            server.closeAllConnections();
          }),
      ),
    );
  }

  #listenOn(host: string, port: number): Promise<http.Server> {
    const timeout = this.#options.serverTimeoutSeconds * 1000;
    const server = http.createServer(
      {
        insecureHTTPParser: true,
        requireHostHeader: false,
        maxHeaderSize: MAX_HEAD_BYTES,
        requestTimeout: timeout,
        headersTimeout: timeout,
        keepAliveTimeout: timeout,
        // How often the two above are looked at.
        connectionsCheckingInterval: Math.min(timeout, MOST_CHECK_MS),
        // Of the idle times alone; a parked long poll has no end.
        noDelay: true,
      },
      (request, reply) => this.#take(request, reply),
    );
    server.maxConnections = MAX_CONNECTIONS;
    // Some clients end their side behind the request, and wait for the answer.
    Object.assign(server, { httpAllowHalfOpen: true });
    // Told so at their first request, but not while they could leave no room for others.
    let strangers = 0;
    server.on('connection', (socket) => {
      if (this.#addresses.allows(addressBytes(socket.remoteAddress))) return;
      if (strangers >= MAX_STRANGERS) {
        socket.destroy();
        return;
      }
      strangers++;
      socket.once('close', () => strangers--);
    });
    return new Promise((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, host, () => {
        // What goes wrong later concerns one connection (no handle for it): it must not end the thread.
        server.on('error', () => {});
        server.off('error', reject);
        resolve(server);
      });
    });
  }

  /** One request of a connection at a time: the parser hands over thousands that come in one write. */
  #take(request: http.IncomingMessage, reply: http.ServerResponse): void {
    const { socket } = request;
    const waiting = this.#waiting.get(socket);
    if (waiting === undefined) {
      this.#waiting.set(socket, []);
      this.#begin(request, reply);
    } else if (waiting.length < MOST_WAITING) waiting.push([request, reply]);
    else socket.destroy();
  }

  #begin(request: http.IncomingMessage, reply: http.ServerResponse): void {
    const { socket } = request;
    reply.on('close', () => {
      const next = socket.destroyed ? undefined : this.#waiting.get(socket)?.shift();
      if (next !== undefined) {
        this.#begin(...next);
        return;
      }
      this.#waiting.delete(socket);
      if (socket.readableEnded) socket.end();
    });
    this.#relay(request, reply);
  }

  #relay(request: http.IncomingMessage, reply: http.ServerResponse): void {
    if (!this.#addresses.allows(addressBytes(request.socket.remoteAddress))) {
      reply.writeHead(403, { connection: 'close' }).end();
      return;
    }
    // A connection for each request: the front might close a kept one at the moment it is used again, and whether a
    // block was submitted would stay unknown.
    let inner: http.ClientRequest;
    try {
      inner = http.request({
        ...this.#options.target,
        method: request.method,
        path: request.url?.startsWith('/') ? request.url : '/',
        headers: {
          ...pick(request.headers, PASSED_ON),
          [RELAY_HEADER]: `${this.#options.relayToken} ${request.socket.remoteAddress ?? ''}`,
          connection: 'close',
        },
        agent: false,
      });
    } catch {
      // The lenient parser takes characters in targets and headers that may not be passed on.
      reply.writeHead(400, { connection: 'close' }).end();
      return;
    }
    inner.setNoDelay(true);
    inner.on('response', (answer) => {
      reply.sendDate = false;
      // A connection that stays says nothing about it in HTTP/1.1, as the fronts' do.
      if (reply.shouldKeepAlive && request.httpVersion === '1.1') reply.removeHeader('connection');
      reply.writeHead(answer.statusCode ?? 500, answer.statusMessage ?? '', passedBack(answer));
      answer.pipe(reply);
      answer.on('error', () => reply.destroy());
    });
    inner.on('error', () => {
      // The front is going away or has cut the connection (wrong passwords in numbers); so does this one.
      reply.destroy();
    });
    // Long polls end with the client that waits for them.
    reply.on('close', () => inner.destroy());
    request.on('error', () => inner.destroy());
    // It may be refused before it is sent.
    if (Number(request.headers['content-length']) >= LARGE_BODY_BYTES) inner.flushHeaders();
    request.pipe(inner);
  }
}
