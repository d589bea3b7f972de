// The table of test/core-functional.md: one row per functional test of Bitcoin Core, read and written back with everything around it.

/** pass, fail: what a run says. The others say why a failing test may fail, and are given by hand. */
const RESULTS = ['pass', 'fail', 'on purpose', 'missing', 'open', 'not run'] as const;
export type Result = (typeof RESULTS)[number];

export interface Row {
  readonly test: string;
  readonly result: Result;
  /** One line, Markdown. */
  readonly reason: string;
  /** Commit and date of the last run; empty: not run by the command yet. */
  readonly ran: string;
}

/** What became of one test. */
export interface Outcome {
  /** skipped: the test itself says that the machine lacks something. */
  readonly kind: 'passed' | 'failed' | 'skipped';
  /** The last words of a test that did not pass. */
  readonly words: string;
}

const HEAD = ['| test | result | reason | last run |', '| --- | --- | --- | --- |'];
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
    const [test = '', result = '', reason = '', ran = ''] = cells;
    if (cells.length > 4 || !/^\w+$/.test(test) || !isResult(result)) throw new Error(`this row can't be read: ${line}`);
    return { test, result, reason, ran };
  });
  return { before: lines.slice(0, head).join('\n'), rows, after: lines.slice(end).join('\n') };
}

/** The whole text again, rows by name. */
export function renderTable({ before, rows, after }: ReturnType<typeof parseTable>): string {
  const sorted = [...rows].sort((a, b) => (a.test < b.test ? -1 : 1));
  const lines = sorted.map(({ test, result, reason, ran }) => `| ${test} | ${result} | ${reason} | ${ran} |`);
  return [before, ...HEAD, ...lines, after].join('\n');
}

/** A row after a run: a pass is a pass; a failure whose reason is known keeps it; another one is entered with its last words. */
export function rowAfter(row: Row, { kind, words }: Outcome, ran: string): Row {
  const known = row.result !== 'pass' && row.result !== 'fail';
  if (kind === 'passed') return { ...row, result: 'pass', reason: row.result === 'pass' ? row.reason : '', ran };
  if (known) return { ...row, ran };
  const reason = words.replace(/[\s|]+/g, ' ').trim();
  return { ...row, result: kind === 'skipped' ? 'not run' : 'fail', reason: reason.slice(0, MAX_WORDS), ran };
}

function isResult(text: string): text is Result {
  return (RESULTS as readonly string[]).includes(text);
}
