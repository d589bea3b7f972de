// The Prometheus registry, on the node thread of aditd and on the main thread of adit-front. A gauge or counter reads
// its value from its module at each scrape; a histogram is fed by the module through a callback. Names carry their
// units. bitcoin_* are the names of bitcoin-prometheus-exporter, adit_* are adit's own.
import { collectDefaultMetrics, Histogram, type Metric, Registry } from 'prom-client';
import { LAG_STEP_MS } from '../lib/loop-lag.js';
import { type CountedValues, QuickHistogram, ReadHistogram, type Series } from './quick-histogram.js';

/** A value (undefined: no sample), or one row for each combination of label values: the labels first, the value last. */
export type Sample = number | undefined | Iterable<readonly (string | number)[]>;

/** A metric of a module: its name, its help text, how its value is read, and its label names. */
export type MetricRow<T> = readonly [name: string, help: string, read: (source: T) => Sample, ...labels: readonly string[]];

/** Called once for each metric whose value could not be read. */
export type OnMetricFault = (name: string, error: unknown) => void;

/** Returns a function that logs that the value of a metric could not be read. */
export function logMetricFaults(log: { error(line: string): void }): OnMetricFault {
  return (name, error) => log.error(`Could not read the metric ${name}, so /metrics omits it: ${(error as Error)?.stack ?? error}`);
}

/**
 * prom-client's gauges whose names end in `_total`, which promtool reserves for counters. The gauges by type, such as
 * `nodejs_active_handles`, add up to the same numbers.
 */
const MISNAMED_GAUGES = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total'];
const PROCESS_PREFIX = 'adit_';

/** All metrics of a process. */
export class Metrics {
  readonly #registry = new Registry();
  readonly #onFault: OnMetricFault;
  readonly #faulty = new Set<string>();

  constructor(onFault: OnMetricFault = () => {}) {
    this.#onFault = onFault;
  }

  /** Adds the metrics of the process: CPU, memory, event-loop delay, garbage collection. */
  withProcess(): this {
    collectDefaultMetrics({ register: this.#registry, prefix: PROCESS_PREFIX, eventLoopMonitoringPrecision: LAG_STEP_MS });
    for (const name of MISNAMED_GAUGES) this.#registry.removeSingleMetric(PROCESS_PREFIX + name);
    return this;
  }

  /**
   * Adds metrics that are read at each scrape. Names that end in `_total` are counters, the others gauges.
   * @param source undefined while the module does not run: its metrics have no samples then
   */
  group<T>(source: () => T | undefined, rows: readonly MetricRow<T>[]): void {
    for (const row of rows) this.#add(row[0].endsWith('_total') ? 'counter' : 'gauge', source, row);
  }

  /** Adds a gauge with the name of another exporter, which may end in `_total`. */
  gauge<T>(source: () => T | undefined, row: MetricRow<T>): void {
    this.#add('gauge', source, row);
  }

  /**
   * Registers a metric in the shape that Registry expects (name, help, type, get). prom-client's own Gauge would show 0
   * for a metric that has no value, and its Counter would fail the whole page for one that fell.
   */
  #add<T>(type: 'counter' | 'gauge', source: () => T | undefined, [name, help, read, ...labelNames]: MetricRow<T>): void {
    const values = (): object[] => {
      const from = source();
      const sample = (from === undefined ? undefined : read(from)) ?? [];
      return (typeof sample === 'number' ? [[sample]] : [...sample]).map((row) => ({
        labels: Object.fromEntries(labelNames.map((label, i) => [label, row[i]])),
        value: row.at(-1),
      }));
    };
    const get = async () => ({ name, help, type, values: this.#guarded(name, values) ?? [] });
    this.#registry.registerMetric({ name, help, type, get } as unknown as Metric);
  }

  /** Runs a read function. If it throws, the metric has no samples and the other metrics are not affected. */
  #guarded<V>(name: string, read: () => V): V | undefined {
    try {
      return read();
    } catch (error) {
      if (!this.#faulty.has(name)) this.#onFault(name, error);
      this.#faulty.add(name);
      return undefined;
    }
  }

  /**
   * Adds a histogram of durations in seconds.
   * @param known labels to show before their first value
   * @returns a function that records a duration
   */
  histogram(
    name: string,
    help: string,
    buckets: readonly number[],
    labelNames: readonly string[] = [],
    known: readonly Record<string, string>[] = [],
  ): (seconds: number, labels?: Record<string, string>) => void {
    const histogram = new Histogram({ name, help, labelNames: [...labelNames], buckets: [...buckets], registers: [this.#registry] });
    for (const labels of known) histogram.zero(labels);
    return (seconds, labels) => (labels ? histogram.observe(labels, seconds) : histogram.observe(seconds));
  }

  /**
   * Adds a histogram of durations in seconds that are reported very often.
   * @returns a function that creates the series for a set of labels
   */
  quickHistogram(name: string, help: string, buckets: readonly number[]): (labels: Record<string, string>) => Series {
    const histogram = new QuickHistogram(name, help, buckets);
    this.#registry.registerMetric(histogram as unknown as Metric);
    return (labels) => histogram.series(labels);
  }

  /** Adds a histogram of durations in seconds that another thread counts; it is read at each scrape. */
  readHistogram(name: string, help: string, buckets: readonly number[], read: () => CountedValues | undefined): void {
    const histogram = new ReadHistogram(name, help, buckets, () => this.#guarded(name, read));
    this.#registry.registerMetric(histogram as unknown as Metric);
  }

  text(): Promise<string> {
    return this.#registry.metrics();
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  /** Returns the names of all metrics. */
  async names(): Promise<string[]> {
    return (await this.#registry.getMetricsAsJSON()).map((metric) => metric.name);
  }
}

/** Buckets from a tenth of a millisecond to ten seconds. */
export const secondsBuckets = [0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10] as const;
