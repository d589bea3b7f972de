// Parameters of a soak, its observations, the faults in them, and its table.

export interface SoakOptions {
  readonly seconds: number;
  /**
   * Goes on up to three times as long, until at least so many blocks and accepted transactions were seen and a
   * reorganisation: on a slow machine less happens in a second. Default none.
   */
  readonly least?: { readonly blocks: number; readonly accepted: number };
  readonly polls: number;
  /** On average. */
  readonly blockSeconds: number;
  readonly transactionsPerSecond: number;
}

export interface SoakReport {
  readonly options: SoakOptions;
  readonly blocks: number;
  readonly reorganisations: number;
  readonly accepted: number;
  readonly refused: number;
  /** Words of the refusals. */
  readonly refusals: Readonly<Record<string, number>>;
  /** Different ones that anybody was given. */
  readonly templates: number;
  readonly judged: number;
  readonly late: number;
  /** Verdicts other than valid. */
  readonly invalid: readonly string[];
  readonly pollsAnswered: number;
  /** Blocks after which some poll had not moved on in time. */
  readonly leftBehind: number;
  readonly errors: readonly string[];
  readonly pollerMs: readonly number[];
  /** p99 of the node thread's loop in each window of ten seconds. */
  readonly lagMs: readonly number[];
  /** The same for an idle process on the machine, in the same windows. */
  readonly bystanderMs: readonly number[];
  /** Resident megabytes of the node, one every ten seconds. */
  readonly residentMb: readonly number[];
  /** Parts of this memory, as far as the node's metrics show them; megabytes, one every ten seconds. */
  readonly census: Readonly<Record<MemoryPart, readonly number[]>>;
  /** Parked polls right after the end. */
  readonly waitersAtEnd: number;
}

/**
 * Parts of the node's memory, and the metrics that tell them. Those with a bound are caches that fill up to an option
 * or follow the load.
 */
export const MEMORY_PARTS = {
  heap: { metric: 'adit_nodejs_heap_size_used_bytes', bounded: false },
  'outside the heap': { metric: 'adit_nodejs_external_memory_bytes', bounded: false },
  'coins cache': { metric: 'adit_coins_cache_bytes', bounded: true },
  database: { metric: 'adit_chain_database_bytes', bounded: true },
  'script cache': { metric: 'adit_script_cache_bytes', bounded: true },
  mempool: { metric: 'bitcoin_mempool_usage', bounded: true },
  'verify slabs': { metric: 'adit_verify_slab_bytes', bounded: true },
  'held replies': { metric: 'adit_http_held_bytes', bounded: true },
} as const;
export type MemoryPart = keyof typeof MEMORY_PARTS;
const PARTS = Object.keys(MEMORY_PARTS) as MemoryPart[];

/** Scrapes of half an hour: memory is expected to be flat after that, in a shorter run after its first quarter. */
const FLAT_AFTER = 180;
const QUARTER_HOUR = 90;
/**
 * Milliseconds by which the node's event loop may be later than the machine causes. A tick of several milliseconds is
 * interrupted more often than one of the idle process.
 */
const LAG_LIMIT_MS = 20;
const BYSTANDER_FACTOR = 3;
/**
 * Share of the sent transactions that should be accepted. The rest are replacements that pay too little, and conflicts.
 */
const ACCEPTED_SHARE = 0.4;
const GROWTH = 1.05;

const percentile = (samples: readonly number[], part: number): number => {
  const sorted = [...samples].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? Number.NaN;
};

/** Samples from when memory is expected to be flat. */
const settledPart = (samples: readonly number[]): readonly number[] => samples.slice(Math.min(FLAT_AFTER, Math.floor(samples.length / 4)));

/** Medians of both halves of what comes after the start; equal where the run was too short to tell. */
function halves(samples: readonly number[]): [number, number] {
  const settled = settledPart(samples);
  const half = Math.floor(settled.length / 2);
  return half < 6 ? [0, 0] : [percentile(settled.slice(0, half), 0.5), percentile(settled.slice(half), 0.5)];
}

/** How much each part grew from the first half to the second, megabytes. */
function growthOf({ census }: SoakReport): Record<MemoryPart, number> {
  const growth = (part: MemoryPart): number => {
    const [before, after] = halves(census[part]);
    return after - before;
  };
  return Object.fromEntries(PARTS.map((part) => [part, growth(part)])) as Record<MemoryPart, number>;
}
const signed = (megabytes: number): string => `${megabytes < 0 ? '' : '+'}${megabytes.toFixed(1)}`;
const growthText = (growth: Record<MemoryPart, number>): string => PARTS.map((part) => `${part} ${signed(growth[part])}`).join(', ');

/** Lateness of the node's loop that is its own, in each window. */
function ownLag({ lagMs, bystanderMs }: SoakReport): number[] {
  return lagMs.map((ms, window) => ms - BYSTANDER_FACTOR * bystanderMs[window]!);
}

/**
 * Lists the faults of a report.
 * @param timed also checks time and memory, which a short run cannot show; they are compared with the same run
 */
export function faultsOf(report: SoakReport, timed: boolean): string[] {
  const faults = [...report.invalid, ...report.errors];
  if (report.waitersAtEnd !== 0) faults.push(`${report.waitersAtEnd} polls still parked`);
  if (report.leftBehind > 0) faults.push(`polls were left behind ${report.leftBehind} times`);
  if (!timed) return faults;
  if (report.judged < report.templates * 0.9) faults.push(`only ${report.judged} of ${report.templates} templates were judged`);
  const sent = report.accepted + report.refused;
  if (!(report.accepted > sent * ACCEPTED_SHARE)) faults.push(`only ${report.accepted} of ${sent} transactions were accepted`);
  const lag = percentile(ownLag(report), 0.99);
  if (!(lag < LAG_LIMIT_MS)) faults.push(`event-loop lag p99 ${lag.toFixed(1)} ms beyond what the machine makes of it`);
  const [before, after] = halves(report.residentMb);
  // Single samples say where the collector just was. What a cache takes within its bound is no growth.
  const growth = growthOf(report);
  const cached = PARTS.reduce((sum, part) => sum + (MEMORY_PARTS[part].bounded ? Math.max(0, growth[part]) : 0), 0);
  if (!(after - cached <= before * GROWTH)) faults.push(`memory grew from ${before} to ${after} MB: ${growthText(growth)}`);
  return faults;
}

/** The figures as a table of Markdown. */
export function tableOf(report: SoakReport): string {
  const { options, residentMb, lagMs, bystanderMs, pollerMs } = report;
  const settled = settledPart(residentMb);
  const quarters = Array.from({ length: Math.ceil(residentMb.length / QUARTER_HOUR) }, (_, i) =>
    percentile(residentMb.slice(i * QUARTER_HOUR, (i + 1) * QUARTER_HOUR), 0.5),
  );
  const ms = (value: number) => value.toFixed(1);
  const spread = (times: readonly number[]) => `${ms(percentile(times, 0.5))} / ${ms(percentile(times, 0.99))} / ${ms(Math.max(...times))}`;
  const rows: [string, string][] = [
    ['time, long polls, pollers', `${Math.round(options.seconds / 60)} min, ${options.polls}, 4 at 10/s`],
    ['blocks, reorganisations', `${report.blocks}, ${report.reorganisations}`],
    ['transactions accepted, refused', `${report.accepted}, ${report.refused}`],
    ['templates given, judged by a second process, invalid', `${report.templates}, ${report.judged}, ${report.invalid.length}`],
    ['long polls answered, left behind, parked at the end', `${report.pollsAnswered}, ${report.leftBehind}, ${report.waitersAtEnd}`],
    ['pollers p50 / p99, ms (client in the harness)', `${ms(percentile(pollerMs, 0.5))} / ${ms(percentile(pollerMs, 0.99))}`],
    ['event-loop lag p99 in windows of 10 s: median / p99 / worst, ms', spread(lagMs)],
    ['the same of an idle process beside it', spread(bystanderMs)],
    [`the node's without ${BYSTANDER_FACTOR} times the idle one's`, spread(ownLag(report))],
    [
      'resident MB when settled: median of the first half / of the second half / most / at the end',
      settled.length < 12 ? residentMb.join(' ') : [...halves(residentMb), Math.max(...settled), settled.at(-1)].join(' / '),
    ],
    ['resident MB, median of each quarter of an hour', quarters.join(', ')],
    ['what grew from the first half to the second, MB', growthText(growthOf(report))],
  ];
  return ['| soak | |', '| --- | --- |', ...rows.map(([name, value]) => `| ${name} | ${value} |`)].join('\n');
}
