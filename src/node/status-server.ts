// Opens the metrics port: metrics for Prometheus, the status page with its feed, and the OpenRPC document.
import { ConfigError } from '../config/index.js';
import type { ListenerGuard } from '../lib/listener-guard.js';
import type { NodeLogger } from '../log/create-logger.js';
import { htmlPage, jsonPage, livePage, type MetricsOptions, pageHtml, serveMetrics } from '../metrics/index.js';
import { methodsOf } from '../rpc/declare/methods.js';
import { openRpcDocument } from '../rpc/openrpc.js';
import { StatusFeed } from './status.js';
import { LoadMeter, type StatusSources, statusOf } from './status-figures.js';
import { workersOf } from './stratum-status.js';
import type { Teardown } from './teardown.js';

/** Dependencies of the metrics port. */
export interface StatusServerDeps {
  readonly metrics: Parameters<typeof serveMetrics>[0];
  readonly seen: Omit<StatusSources, 'meter'>;
  readonly log: NodeLogger;
  readonly guard: ListenerGuard;
  readonly teardown: Teardown;
}

/**
 * Opens the port.
 * @throws ConfigError if the port is in use
 */
export async function serveStatus(options: MetricsOptions, { metrics, seen, log, guard, teardown }: StatusServerDeps): Promise<void> {
  const { host, port } = options;
  const meter = new LoadMeter();
  teardown.add(() => meter.close());
  const feed = new StatusFeed(() => statusOf({ ...seen, meter }), guard);
  teardown.add(() => feed.close());
  const pages = new Map([
    ['/', htmlPage(() => pageHtml(feed.now()))],
    ['/events', feed.page],
    ['/workers', livePage((query) => workersOf(seen.stratum, query.get('address') ?? ''))],
    [
      '/openrpc.json',
      jsonPage(() => openRpcDocument(methodsOf(seen.config.wallet.enabled, seen.config.compat).values(), seen.config.compat)),
    ],
  ]);
  const server = await serveMetrics(metrics, options, pages).catch((error: NodeJS.ErrnoException) => {
    throw new ConfigError(`Unable to serve metrics on ${host}:${port} (${error.code}); choose another -metricsport.`);
  });
  teardown.add(() => server.close());
  log.info(`Metrics on ${host}:${server.port}`);
}
