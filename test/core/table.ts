// The table of test/core-functional.md: one row per functional test of Bitcoin Core, read and written back with
// everything around it.

/** pass, fail: what a run says. The others say why a failing test may fail, and are given by hand. */
const RESULTS = ['pass', 'fail', 'on purpose', 'missing', 'open', 'not run'] as const;
export type Result = (typeof RESULTS)[number];

/** Versions of Core whose tests are run. */
export const VERSIONS = ['0.21.1', '31'] as const;
export type Version = (typeof VERSIONS)[number];

export interface Cell {
  readonly result: Result;
  /** One line, Markdown. */
  readonly reason: string;
  /** Commit and date of the last run; empty: not run by the command yet. */
  readonly ran: string;
}

export interface Row {
  readonly test: string;
  /** By version; nothing where that version has no such test, or it was never run. */
  readonly cells: Readonly<Partial<Record<Version, Cell>>>;
}

/** Result of one test. */
export interface Outcome {
  /** skipped: the test itself says that the machine lacks something. */
  readonly kind: 'passed' | 'failed' | 'skipped';
  /** The last words of a test that did not pass. */
  readonly words: string;
}

const HEAD = ['| test | 0.21.1 | reason | last run | 31 | reason | last run |', '| --- | --- | --- | --- | --- | --- | --- |'];
const CELLS = 3;
const MAX_WORDS = 200;

/** @returns the text before the table, its rows, and the text after it @throws Error when a row can't be read */
export function parseTable(text: string): { before: string; rows: Row[]; after: string } {
  const lines = text.split('\n');
  const head = lines.findIndex((line) => line.startsWith('| test |'));
  if (head < 0) throw new Error('there is no table of tests');
  let end = head + 2;
  while (lines[end]?.startsWith('|') === true) end++;
  const rows = lines.slice(head + 2, end).map((line): Row => {
    const cells = line.split(' | ').map((cell) => cell.replace(/^\| ?|\s*\|$/g, '').trim());
    const [test = ''] = cells;
    const found: Partial<Record<Version, Cell>> = {};
    for (const [at, version] of VERSIONS.entries()) {
      const [result = '', reason = '', ran = ''] = cells.slice(1 + CELLS * at);
      if (isResult(result)) found[version] = { result, reason, ran };
      else if (result !== '') throw new Error(`this row can't be read: ${line}`);
    }
    if (cells.length > 1 + CELLS * VERSIONS.length || !/^\w+$/.test(test)) throw new Error(`this row can't be read: ${line}`);
    return { test, cells: found };
  });
  return { before: lines.slice(0, head).join('\n'), rows, after: lines.slice(end).join('\n') };
}

/** The whole text again, rows by name. */
export function renderTable({ before, rows, after }: ReturnType<typeof parseTable>): string {
  const sorted = [...rows].sort((a, b) => (a.test < b.test ? -1 : 1));
  const lines = sorted.map(({ test, cells }) => {
    const all = VERSIONS.flatMap((version) => {
      const { result, reason, ran } = cells[version] ?? { result: '', reason: '', ran: '' };
      return [result, reason, ran];
    });
    return `| ${[test, ...all].join(' | ')} |`;
  });
  return [before, ...HEAD, ...lines, after].join('\n');
}

/**
 * A cell after a run: a pass is a pass; a failure whose reason is known keeps it; another one is entered with its last
 * words.
 */
export function cellAfter(cell: Cell | undefined, { kind, words }: Outcome, ran: string): Cell {
  const { result = 'pass', reason = '' } = cell ?? {};
  if (kind === 'passed') return { result: 'pass', reason: result === 'pass' ? reason : '', ran };
  if (result !== 'pass' && result !== 'fail') return { result, reason, ran };
  const said = words.replace(/[\s|]+/g, ' ').trim();
  return { result: kind === 'skipped' ? 'not run' : 'fail', reason: said.slice(0, MAX_WORDS), ran };
}

function isResult(text: string): text is Result {
  return (RESULTS as readonly string[]).includes(text);
}
