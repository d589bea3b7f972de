// The one Prometheus registry, on the node thread. Rooms hand over plain figures: a gauge asks for them when it is
// scraped, a histogram is fed by the room's observe callback. Names carry their units; bitcoin_* are the names that
// existing Bitcoin dashboards look for, adit_* are this node's own.
import { Counter, collectDefaultMetrics, Gauge, Histogram, type Metric, Registry } from 'prom-client';
import { LAG_STEP_MS } from '../lib/loop-lag.js';
import { type CountedValues, QuickHistogram, ReadHistogram, type Series } from './quick-histogram.js';

/** A figure, or one for each value of the labels: these first, the figure last. */
export type Sample = number | undefined | Iterable<readonly (string | number)[]>;

/** A figure of a room: its name, what it is, how it is read, and the labels that tell several apart. */
export type MetricRow<T> = readonly [name: string, help: string, read: (room: T) => Sample, ...labels: readonly string[]];

/** Everything the exporter shows. */
export class Metrics {
  readonly #registry = new Registry();

  /** Adds the process's own figures: CPU, memory, event-loop lag, garbage collection. */
  withProcess(): this {
    collectDefaultMetrics({ register: this.#registry, prefix: 'adit_', eventLoopMonitoringPrecision: LAG_STEP_MS });
    return this;
  }

  /**
   * Figures that are asked for at each scrape. What ends in _total only grows.
   * @param room undefined while there is none: no samples
   */
  group<T>(room: () => T | undefined, rows: readonly MetricRow<T>[]): void {
    for (const row of rows) this.#add(row[0].endsWith('_total') ? Counter : Gauge, room, row);
  }

  /** A figure that may fall, whatever its name says. */
  gauge<T>(room: () => T | undefined, row: MetricRow<T>): void {
    this.#add(Gauge, room, row);
  }

  #add<T>(Kind: typeof Counter | typeof Gauge, room: () => T | undefined, [name, help, read, ...labelNames]: MetricRow<T>): void {
    new Kind({
      name,
      help,
      labelNames,
      registers: [this.#registry],
      collect() {
        this.reset();
        const of = room();
        const value = (of === undefined ? undefined : read(of)) ?? [];
        for (const sample of typeof value === 'number' ? [[value]] : value) {
          this.inc(Object.fromEntries(labelNames.map((label, i) => [label, sample[i] as string])), sample.at(-1) as number);
        }
      },
    });
  }

  /** Durations in seconds. @param known labels that are shown before the first one @returns how the room reports one */
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
   * Durations in seconds that are reported very often.
   * @returns makes a series, to be kept by the room for its labels
   */
  quickHistogram(name: string, help: string, buckets: readonly number[]): (labels: Record<string, string>) => Series {
    const histogram = new QuickHistogram(name, help, buckets);
    // What the registry asks of a metric is its name and get().
    this.#registry.registerMetric(histogram as unknown as Metric);
    return (labels) => histogram.series(labels);
  }

  /** Durations in seconds that another thread counts; asked for at each scrape. */
  readHistogram(name: string, help: string, buckets: readonly number[], read: () => CountedValues | undefined): void {
    this.#registry.registerMetric(new ReadHistogram(name, help, buckets, read) as unknown as Metric);
  }

  /** The exposition text. */
  text(): Promise<string> {
    return this.#registry.metrics();
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  /** Names of all metrics, for the test that holds the dashboards against them. */
  async names(): Promise<string[]> {
    return (await this.#registry.getMetricsAsJSON()).map((metric) => metric.name);
  }
}

/** Buckets from a tenth of a millisecond to ten seconds. */
export const secondsBuckets = [0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10] as const;
