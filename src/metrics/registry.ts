// The one Prometheus registry, on the node thread. Rooms hand over plain figures: a gauge asks for them when it is
// scraped, a histogram is fed by the room's observe callback. Names carry their units; bitcoin_* are the names that
// existing Bitcoin dashboards look for, adit_* is what nobody else exports.
import { Counter, collectDefaultMetrics, Gauge, Histogram, type Metric, Registry } from 'prom-client';
import { type CountedValues, QuickHistogram, ReadHistogram, type Series } from './quick-histogram.js';

/** One sample: a figure, with labels when there are several. */
export type Sample = number | undefined | readonly { readonly labels: Record<string, string>; readonly value: number }[];

/** Everything the exporter shows. */
export class Metrics {
  readonly #registry = new Registry();

  /** Adds the process's own figures: CPU, memory, event-loop lag, garbage collection. */
  withProcess(): this {
    collectDefaultMetrics({ register: this.#registry, prefix: 'adit_' });
    return this;
  }

  /** A figure asked for at each scrape. */
  gauge(name: string, help: string, read: () => Sample, labelNames: readonly string[] = []): void {
    new Gauge({
      name,
      help,
      labelNames: [...labelNames],
      registers: [this.#registry],
      collect() {
        this.reset();
        const value = read();
        if (value === undefined) return;
        if (typeof value === 'number') this.set(value);
        else for (const sample of value) this.set(sample.labels, sample.value);
      },
    });
  }

  /** A figure that only grows, kept by its room and asked for at each scrape. */
  total(name: string, help: string, read: () => Sample, labelNames: readonly string[] = []): void {
    new Counter({
      name,
      help,
      labelNames: [...labelNames],
      registers: [this.#registry],
      collect() {
        this.reset();
        const value = read();
        if (value === undefined) return;
        if (typeof value === 'number') this.inc(value);
        else for (const sample of value) this.inc(sample.labels, sample.value);
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
