// Face of this module, without its options, which src/config reads.
export { pageHtml, type Status } from './page.js';
export type { Series } from './quick-histogram.js';
export { logMetricFaults, Metrics, type OnMetricFault, secondsBuckets } from './registry.js';
export { htmlPage, jsonPage, livePage, type MetricsOptions, type MetricsServer, type Page, serveMetrics } from './server.js';
