// Serves /metrics for Prometheus: a rare, small request, so plain node:http on the node thread is enough. Loopback unless told otherwise.
import http from 'node:http';
import type { Metrics } from './registry.js';

/** A running exporter. */
export interface MetricsServer {
  readonly port: number;
  close(): Promise<void>;
}

/** @throws the socket's error, e.g. EADDRINUSE */
export function serveMetrics(metrics: Metrics, options: { host: string; port: number }): Promise<MetricsServer> {
  const server = http.createServer({ maxHeaderSize: 8192, requestTimeout: 10_000, headersTimeout: 10_000 }, (request, reply) => {
    request.resume();
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      reply.writeHead(405, { allow: 'GET, HEAD' }).end();
      return;
    }
    if (request.url?.split('?')[0] !== '/metrics') {
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
