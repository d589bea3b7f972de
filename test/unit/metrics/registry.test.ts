import t from 'tap';
import { Metrics } from '../../../src/metrics/registry.js';

/** The lines of samples, without comments. */
async function samples(metrics: Metrics): Promise<string[]> {
  return (await metrics.text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
}

t.test('shows no sample of a metric without labels while its source or its value is undefined', async (t) => {
  const metrics = new Metrics();
  let source: { free?: number } | undefined;
  metrics.group(
    () => source,
    [
      ['free_bytes', 'Free bytes', (of) => of.free],
      ['seen_total', 'Times seen', () => 1],
    ],
  );
  t.same(await samples(metrics), [], 'no source');
  source = {};
  t.same(await samples(metrics), ['seen_total 1'], 'no value');
  source = { free: 0 };
  t.same(await samples(metrics), ['free_bytes 0', 'seen_total 1'], '0 is a value');
  source = undefined;
  t.same(await samples(metrics), [], 'a value of an earlier scrape is not shown again');
});

t.test('shows a sample for each value of the labels, and their types', async (t) => {
  const metrics = new Metrics();
  metrics.group(
    () => ({}),
    [
      [
        'calls_total',
        'Calls',
        () => [
          ['a', 'x', 2],
          ['b', 'y', 3],
        ],
        'method',
        'end',
      ],
    ],
  );
  metrics.gauge(() => ({}), ['pool_total', 'A gauge, whatever its name says', () => 4]);
  t.same(await samples(metrics), ['calls_total{method="a",end="x"} 2', 'calls_total{method="b",end="y"} 3', 'pool_total 4']);
  const text = await metrics.text();
  t.match(text, '# HELP calls_total Calls\n# TYPE calls_total counter');
  t.match(text, '# TYPE pool_total gauge');
});

t.test('omits a metric and reports it once when reading its value throws', async (t) => {
  const faults: string[] = [];
  const metrics = new Metrics((name, error) => faults.push(`${name}: ${(error as Error).message}`));
  metrics.group(
    () => ({}),
    [
      [
        'broken',
        'Throws',
        () => {
          throw new Error('no such thread');
        },
      ],
      ['whole', 'Does not', () => 1],
      ['negative_total', 'A counter that a source counts down is shown as it is', () => -1],
    ],
  );
  metrics.group((): object => {
    throw new Error('no source');
  }, [['sourceless', 'Throws where the source is looked for', () => 1]]);
  metrics.readHistogram('broken_seconds', 'Throws', [1], () => {
    throw new Error('no counters');
  });
  for (let scrape = 0; scrape < 2; scrape++) t.same(await samples(metrics), ['whole 1', 'negative_total -1']);
  t.same(faults, ['broken: no such thread', 'sourceless: no source', 'broken_seconds: no counters']);
});

t.test('shows the process without the gauges whose names end like a counter', async (t) => {
  const text = await new Metrics().withProcess().text();
  t.match(text, /^adit_process_resident_memory_bytes \d/m);
  t.match(text, /^adit_nodejs_active_handles\{/m);
  const gauges = [...text.matchAll(/^# TYPE (\S+) gauge$/gm)].map(([, name]) => name as string);
  t.ok(gauges.length > 10);
  t.same(
    gauges.filter((name) => name.endsWith('_total')),
    [],
  );
});
