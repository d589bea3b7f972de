// A histogram for values that are observed 100,000 times per second. prom-client converts the labels of each
// observation to a text, which takes longer than many calls. Here labels are looked up once per series, and the
// exposition is built at each scrape.

/** One series of a histogram. */
export interface Series {
  observe(seconds: number): void;
}

interface Value {
  readonly metricName: string;
  readonly labels: Record<string, string | number>;
  readonly value: number;
}

/** Histogram in the shape that Registry.registerMetric() expects: name, help, type, and values. */
export class QuickHistogram {
  readonly type = 'histogram';
  readonly #series: OneSeries[] = [];
  readonly #buckets: readonly number[];

  constructor(
    readonly name: string,
    readonly help: string,
    buckets: readonly number[],
  ) {
    this.#buckets = buckets;
  }

  /** Creates a series. The caller stores it and calls this once for each set of labels. */
  series(labels: Readonly<Record<string, string>>): Series {
    const series = new OneSeries(labels, this.#buckets);
    this.#series.push(series);
    return series;
  }

  async get(): Promise<{ name: string; help: string; type: string; values: Value[] }> {
    const { name, help, type } = this;
    return { name, help, type, values: this.#series.flatMap((series) => series.values(name)) };
  }
}

/** Values that another thread counted: per bucket (not cumulative), their sum, and their number. */
export interface CountedValues {
  readonly counts: readonly number[];
  readonly sum: number;
  readonly count: number;
}

/** A histogram that another thread counts, read at each scrape. */
export class ReadHistogram {
  readonly type = 'histogram';
  readonly #buckets: readonly number[];
  readonly #read: () => CountedValues | undefined;

  constructor(
    readonly name: string,
    readonly help: string,
    buckets: readonly number[],
    read: () => CountedValues | undefined,
  ) {
    this.#buckets = buckets;
    this.#read = read;
  }

  async get(): Promise<{ name: string; help: string; type: string; values: Value[] }> {
    const { name, help, type } = this;
    const read = this.#read();
    return { name, help, type, values: read === undefined ? [] : exposed(name, {}, this.#buckets, read) };
  }
}

class OneSeries implements Series {
  readonly #counts: Float64Array;
  #sum = 0;
  readonly #labels: Readonly<Record<string, string>>;
  readonly #buckets: readonly number[];

  constructor(labels: Readonly<Record<string, string>>, buckets: readonly number[]) {
    this.#labels = labels;
    this.#buckets = buckets;
    this.#counts = new Float64Array(buckets.length + 1);
  }

  observe(seconds: number): void {
    const buckets = this.#buckets;
    let at = 0;
    while (at < buckets.length && seconds > buckets[at]) at++;
    this.#counts[at]++;
    this.#sum += seconds;
  }

  /** Returns cumulative buckets, sum, and count, in Prometheus's format. */
  values(name: string): Value[] {
    const counts = [...this.#counts];
    return exposed(name, this.#labels, this.#buckets, { counts, sum: this.#sum, count: counts.reduce((a, b) => a + b, 0) });
  }
}

function exposed(
  name: string,
  labels: Readonly<Record<string, string>>,
  buckets: readonly number[],
  { counts, sum, count }: CountedValues,
): Value[] {
  let total = 0;
  const values: Value[] = buckets.map((le, i) => {
    total += counts[i];
    return { metricName: `${name}_bucket`, labels: { le, ...labels }, value: total };
  });
  values.push({ metricName: `${name}_bucket`, labels: { le: '+Inf', ...labels }, value: count });
  values.push({ metricName: `${name}_sum`, labels: { ...labels }, value: sum });
  values.push({ metricName: `${name}_count`, labels: { ...labels }, value: count });
  return values;
}
