// Serves /metrics for Prometheus, and what else people look at: rare, small requests, so plain node:http on the node thread is enough.
// Loopback unless told otherwise.
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

/** A page of JSON that is made when somebody asks. */
export function jsonPage(make: () => unknown): Page {
  return (request, reply) => {
    const body = JSON.stringify(make());
    reply.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
    reply.end(request.method === 'HEAD' ? undefined : body);
  };
}

/** @param pages by path, besides /metrics @throws the socket's error, e.g. EADDRINUSE */
export function serveMetrics(
  metrics: Metrics,
  options: { host: string; port: number },
  pages: ReadonlyMap<string, Page> = new Map(),
): Promise<MetricsServer> {
  const server = http.createServer({ maxHeaderSize: 8192, requestTimeout: 10_000, headersTimeout: 10_000 }, (request, reply) => {
    request.resume();
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      reply.writeHead(405, { allow: 'GET, HEAD' }).end();
      return;
    }
    const place = request.url?.split('?')[0] ?? '';
    const page = pages.get(place);
    if (page) {
      page(request, reply);
      return;
    }
    if (place !== '/metrics') {
      reply.writeHead(404).end();
      return;
    }
    metrics.text().then(
      (text) => reply.writeHead(200, { 'content-type': metrics.contentType }).end(request.method === 'HEAD' ? undefined : text),
      () => reply.writeHead(500).end(),
    );
  });
  server.maxConnections = 64;
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, () => {
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
