// Serves /metrics for Prometheus, and pages for people. Requests are rare and small, so plain node:http on the node
// thread is sufficient. It listens on loopback by default.
import http from 'node:http';
import type { Metrics } from './registry.js';

export interface MetricsServer {
  readonly port: number;
  close(): Promise<void>;
}

/** Handles GET and HEAD of one path, and ends the reply. */
export type Page = (request: http.IncomingMessage, reply: http.ServerResponse) => void;

/** Returns a page of HTML that is built for each request. */
export function htmlPage(make: () => string): Page {
  return (request, reply) => {
    const html = make();
    reply.writeHead(200, {
      'content-type': 'text/html; charset=utf-8',
      'content-length': Buffer.byteLength(html),
      'content-security-policy':
        "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'; img-src data:",
      'x-content-type-options': 'nosniff',
    });
    reply.end(request.method === 'HEAD' ? undefined : html);
  };
}

/** Returns a page of JSON that never changes. It is built at the first request. */
export function jsonPage(make: () => unknown): Page {
  let body: Buffer | undefined;
  return (request, reply) => {
    body ??= Buffer.from(JSON.stringify(make()));
    reply.writeHead(200, { 'content-type': 'application/json', 'content-length': body.byteLength });
    reply.end(request.method === 'HEAD' ? undefined : body);
  };
}

/** Shortest time between two answers of a live page. */
const LIVE_MS = 100;

/**
 * Returns a page of JSON that is made for each request, one at a time and at most ten in a second. Other requests get 503.
 * @param make gets the query of the address
 */
export function livePage(make: (query: URLSearchParams) => Promise<unknown>): Page {
  let isBusy = false;
  let lastMs = Number.NEGATIVE_INFINITY;
  return (request, reply) => {
    if (isBusy || performance.now() - lastMs < LIVE_MS) {
      reply.writeHead(503, { 'retry-after': '1' }).end();
      return;
    }
    isBusy = true;
    make(new URLSearchParams(request.url?.split('?')[1] ?? ''))
      .then(
        (value) => {
          reply.writeHead(200, {
            'content-type': 'application/json',
            'cache-control': 'no-store',
            'x-content-type-options': 'nosniff',
          });
          reply.end(request.method === 'HEAD' ? undefined : JSON.stringify(value));
        },
        () => reply.writeHead(500).end(),
      )
      .finally(() => {
        isBusy = false;
        lastMs = performance.now();
      });
  };
}

/** Address of the server, and allowed host names. */
export interface MetricsOptions {
  readonly host: string;
  readonly port: number;
  /** Allowed host names besides localhost, IP addresses, and the host on which the server listens (-metricshost). */
  readonly names?: readonly string[];
}

/** Maximum number of scrapes per second. Further requests in the same second get the text of the last scrape. */
const SCRAPES_PER_SECOND = 4;

/**
 * Returns whether a request with this Host may be answered. A web page in the operator's browser can make its own host
 * name resolve to this machine (DNS rebinding) and read all figures. But it cannot make the browser send an IP address
 * or another name. A client without Host is not a browser.
 */
function allowsHost(host: string | undefined, names: ReadonlySet<string>): boolean {
  if (host === undefined) return true;
  const name = host.replace(/:\d{1,5}$/, '').toLowerCase();
  // IP addresses are allowed. A host in brackets is an IPv6 address, and no DNS name ends in a number.
  return names.has(name) || name.startsWith('[') || /^\d{1,3}(?:\.\d{1,3}){3}$/.test(name);
}

/** Returns a function that builds the text of a scrape at most SCRAPES_PER_SECOND times per second. */
function limitedScrapes(metrics: Metrics): () => Promise<string> {
  let second = -1;
  let made = 0;
  let last: Promise<string> | undefined;
  return () => {
    const now = Math.floor(performance.now() / 1000);
    if (now !== second) {
      second = now;
      made = 0;
    }
    if (last === undefined || made < SCRAPES_PER_SECOND) {
      made++;
      last = metrics.text();
    }
    return last;
  };
}

/** Starts the server. @param pages further pages by path @throws the socket's error, for example EADDRINUSE */
export function serveMetrics(
  metrics: Metrics,
  options: MetricsOptions,
  pages: ReadonlyMap<string, Page> = new Map(),
): Promise<MetricsServer> {
  const names = new Set(['localhost', options.host, ...(options.names ?? [])].map((name) => name.toLowerCase()));
  const scrape = limitedScrapes(metrics);
  const server = http.createServer({ maxHeaderSize: 8192, requestTimeout: 10_000, headersTimeout: 10_000 }, (request, reply) => {
    request.resume();
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      reply.writeHead(405, { allow: 'GET, HEAD' }).end();
      return;
    }
    if (!allowsHost(request.headers.host, names)) {
      reply.writeHead(403, { 'content-type': 'text/plain' }).end('This name is not known here: see -metricshost.\n');
      return;
    }
    const place = request.url?.split('?')[0] ?? '';
    const page = pages.get(place);
    if (page) {
      try {
        page(request, reply);
      } catch {
        // An exception while reading figures fails only this request.
        if (reply.headersSent) reply.destroy();
        else reply.writeHead(500).end();
      }
      return;
    }
    if (place !== '/metrics') {
      reply.writeHead(404).end();
      return;
    }
    scrape().then(
      (text) => reply.writeHead(200, { 'content-type': metrics.contentType }).end(request.method === 'HEAD' ? undefined : text),
      () => reply.writeHead(500).end(),
    );
  });
  server.maxConnections = 64;
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, () => {
      // Later errors concern only one connection and must not end the node.
      server.on('error', () => {});
      server.off('error', reject);
      resolve({
        port: (server.address() as { port: number }).port,
        close: () =>
          new Promise((done) => {
            server.closeAllConnections();
            server.close(() => done());
          }),
      });
    });
  });
}
