// Frame of every bench: prints what the bench protects, runs it, and prints one table, or JSON with --json. A case is
// printed next to the bare limit of the same run if there is one. Figures of different machines cannot be compared,
// ratios to the limit can.
//
//   node build/bench/NAME.js [--json]

import { describeMachine, type Machine } from './machine.js';
import { percentile } from './samples.js';

/** One line of the table. */
export interface BenchCase {
  readonly name: string;
  /** Unit of the samples: "us per input", "replies/s". */
  readonly unit: string;
  readonly samples: readonly number[];
  /** Tells which figure is better: 'lower' for times, 'higher' for rates. */
  readonly better: 'lower' | 'higher';
  /** Lower limit: samples of the bare work without adit's code around it, in the same unit and run. */
  readonly limit?: { readonly name: string; readonly samples: readonly number[] };
  /** Goal of the case, and a function that checks it. The function returns null if the machine cannot tell. */
  readonly goal?: { readonly text: string; reached(p50: number, ratio: number | null): boolean | null };
}

export interface Bench {
  /** Path of the measured code, without src/: "parallel/pooled-verifier". */
  readonly name: string;
  /** One sentence: who is affected, and how, if this figure gets worse. */
  readonly protects: string;
  run(): Promise<{ readonly cases: readonly BenchCase[]; readonly notes?: readonly string[] }>;
}

/** A case as it is printed. */
export interface Line {
  readonly name: string;
  readonly unit: string;
  readonly rounds: number;
  readonly least: number;
  readonly p50: number;
  readonly p99: number;
  readonly most: number;
  readonly limit: string | null;
  readonly limitP50: number | null;
  /** p50 over the limit's p50. */
  readonly ratio: number | null;
  readonly goal: string | null;
  readonly reached: boolean | null;
}

/** Report that --json prints. */
export interface BenchReport {
  readonly bench: string;
  readonly protects: string;
  readonly machine: Machine;
  readonly notes: readonly string[];
  readonly cases: readonly Line[];
}

function toLine(item: BenchCase): Line {
  const p50 = percentile(item.samples, 0.5);
  // The slow end of the samples: the high one for times, the low one for rates.
  const p99 = percentile(item.samples, item.better === 'lower' ? 0.99 : 0.01);
  const limitP50 = item.limit ? percentile(item.limit.samples, 0.5) : null;
  const ratio = limitP50 === null ? null : p50 / limitP50;
  return {
    name: item.name,
    unit: item.unit,
    rounds: item.samples.length,
    least: Math.min(...item.samples),
    p50,
    p99,
    most: Math.max(...item.samples),
    limit: item.limit?.name ?? null,
    limitP50,
    ratio,
    goal: item.goal?.text ?? null,
    reached: item.goal ? item.goal.reached(p50, ratio) : null,
  };
}

/** Formats a number with three or more significant digits: 0.123, 12.3, 1,234. */
export function show(value: number | null): string {
  if (value === null) return '-';
  const digits = value >= 100 ? 0 : value >= 10 ? 1 : value >= 1 ? 2 : 3;
  return value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

function verdict(line: Line): string {
  if (line.goal === null) return '-';
  const mark = line.reached === null ? '' : line.reached ? ' (reached)' : ' (missed)';
  return line.goal + mark;
}

/** Prints columns as wide as their widest cell. The first column is aligned to the left, numbers to the right. */
function printTable(rows: readonly string[][]): void {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  for (const row of rows) {
    const cells = row.map((cell, column) =>
      column === 0 || column === row.length - 1 ? cell.padEnd(widths[column]) : cell.padStart(widths[column]),
    );
    console.log(`  ${cells.join('  ').trimEnd()}`);
  }
}

/** Runs a bench and prints its report. */
export async function runBench(bench: Bench): Promise<void> {
  const machine = describeMachine();
  const { cases, notes = [] } = await bench.run();
  const lines = cases.map(toLine);
  if (process.argv.includes('--json')) {
    const report: BenchReport = { bench: bench.name, protects: bench.protects, machine, notes, cases: lines };
    console.log(JSON.stringify(report));
    return;
  }
  console.log(`${bench.name}: ${bench.protects}`);
  console.log(
    `${machine.cpu}, ${machine.cores} cores, ${machine.memoryGb} GB, ${machine.platform}, Node ${machine.node}, commit ${machine.commit}, load ${machine.load.toFixed(1)}`,
  );
  for (const note of notes) console.log(note);
  printTable([
    ['case', 'p50', 'p99', 'bare limit', 'ratio', 'rounds', 'unit, goal'],
    ...lines.map((line) => [
      line.name,
      show(line.p50),
      show(line.p99),
      show(line.limitP50),
      show(line.ratio),
      String(line.rounds),
      line.goal === null ? line.unit : `${line.unit}, ${verdict(line)}`,
    ]),
  ]);
  const limits = new Set(lines.flatMap((line) => (line.limit === null ? [] : [line.limit])));
  for (const limit of limits) console.log(`bare limit: ${limit}`);
}
