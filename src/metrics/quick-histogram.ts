// A histogram for what happens a hundred thousand times a second: prom-client puts the labels of each observation into a text, which costs
// more than many calls. Here labels are looked up once per series, and the exposition is made when somebody asks. Caller: registry.ts.

/** One series of a histogram. */
export interface Series {
  observe(seconds: number): void;
}

interface Value {
  readonly metricName: string;
  readonly labels: Record<string, string | number>;
  readonly value: number;
}

/** Made for Registry.registerMetric(): name, help, type and values in prom-client's shape. */
export class QuickHistogram {
  readonly type = 'histogram';
  readonly #series: OneSeries[] = [];

  constructor(
    readonly name: string,
    readonly help: string,
    private readonly buckets: readonly number[],
  ) {}

  /** A new series; the caller keeps it and asks for each set of labels once. */
  series(labels: Readonly<Record<string, string>>): Series {
    const series = new OneSeries(labels, this.buckets);
    this.#series.push(series);
    return series;
  }

  async get(): Promise<{ name: string; help: string; type: string; values: Value[] }> {
    const { name, help, type } = this;
    return { name, help, type, values: this.#series.flatMap((series) => series.values(name)) };
  }
}

class OneSeries implements Series {
  readonly #counts: Float64Array;
  #sum = 0;

  constructor(
    private readonly labels: Readonly<Record<string, string>>,
    private readonly buckets: readonly number[],
  ) {
    this.#counts = new Float64Array(buckets.length + 1);
  }

  observe(seconds: number): void {
    const { buckets } = this;
    let at = 0;
    while (at < buckets.length && seconds > buckets[at]) at++;
    this.#counts[at]++;
    this.#sum += seconds;
  }

  /** Cumulative buckets, sum and count, as Prometheus reads them. */
  values(name: string): Value[] {
    const { labels, buckets } = this;
    let total = 0;
    const values: Value[] = buckets.map((le, i) => {
      total += this.#counts[i];
      return { metricName: `${name}_bucket`, labels: { le, ...labels }, value: total };
    });
    total += this.#counts[buckets.length];
    values.push({ metricName: `${name}_bucket`, labels: { le: '+Inf', ...labels }, value: total });
    values.push({ metricName: `${name}_sum`, labels: { ...labels }, value: this.#sum });
    values.push({ metricName: `${name}_count`, labels: { ...labels }, value: total });
    return values;
  }
}
