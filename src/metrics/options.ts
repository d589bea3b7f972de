// Options of the exporter.

/** What an operator gives, in the names of `MetricsOptions`. */
export const METRICS_ROWS = {
  port: ['metricsport', 'port', 'Serve Prometheus metrics at /metrics on this port (default: none)'],
  names: ['metricshost', 'list', 'Name by which -metricsport may be asked, besides localhost and addresses; repeatable'],
  host: ['metricsbind', 'string', 'Address for -metricsport', '127.0.0.1'],
} as const;
