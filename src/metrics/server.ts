// Serves /metrics for Prometheus, and what else people look at: rare, small requests, so plain node:http on the node
// thread is enough. Loopback unless told otherwise.
import http from 'node:http';
import type { Metrics } from './registry.js';

/** A running exporter. */
export interface MetricsServer {
  readonly port: number;
  close(): Promise<void>;
}

/** Answers a GET of one path; the reply is its own to end. */
export type Page = (request: http.IncomingMessage, reply: http.ServerResponse) => void;

/** A page of HTML, made for each request. */
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

/** A page of JSON that never changes: made at the first request, and shared by all. */
export function jsonPage(make: () => unknown): Page {
  let body: Buffer | undefined;
  return (request, reply) => {
    body ??= Buffer.from(JSON.stringify(make()));
    reply.writeHead(200, { 'content-type': 'application/json', 'content-length': body.byteLength });
    reply.end(request.method === 'HEAD' ? undefined : body);
  };
}

/** Where it listens, and the names by which it may be asked. */
export interface MetricsOptions {
  readonly host: string;
  readonly port: number;
  /** Besides localhost, addresses in figures, and the host it listens on (-metricshost). */
  readonly names?: readonly string[];
}

/** Scrapes that are made in a second; more of them in the same second get what the last one got. */
const SCRAPES_PER_SECOND = 4;

/**
 * Whether a request's Host may be answered. A page in an operator's browser can have its own name point to this machine
 * (DNS rebinding) and would read every figure here; it cannot make the browser send an address or another name. A
 * client without Host is no browser.
 */
function allowsHost(host: string | undefined, names: ReadonlySet<string>): boolean {
  if (host === undefined) return true;
  const name = host.replace(/:\d{1,5}$/, '').toLowerCase();
  // What is in brackets is an address of IPv6; no name of the DNS ends in a figure.
  return names.has(name) || name.startsWith('[') || /^\d{1,3}(?:\.\d{1,3}){3}$/.test(name);
}

/** The text of a scrape, made anew some times a second only. */
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

/** @param pages by path, besides /metrics @throws the socket's error, e.g. EADDRINUSE */
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
      // What goes wrong later concerns one connection: it must not end the node.
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
