// Options of the exporter.

/** Options of the exporter, named as in MetricsOptions. */
export const METRICS_ROWS = {
  port: ['metricsport', 'port', 'Serve Prometheus metrics at /metrics on this port (default: none)'],
  names: [
    'metricshost',
    'list',
    'Host name that requests to -metricsport may use, besides localhost and IP addresses. Can be given several times',
  ],
  host: ['metricsbind', 'string', 'Address on which -metricsport listens', '127.0.0.1'],
} as const;
