// The table of Core's functional tests: what a run changes in it, and what it leaves.
import fs from 'node:fs';
import path from 'node:path';
import t from 'tap';
import { type Cell, cellAfter, parseTable, renderTable } from '../../core/table.js';

const cell: Cell = { result: 'pass', reason: 'with `--ipv4`', ran: '' };
const NOW = 'abc1234, 2026-11-22';

t.test('the table in the repository is exactly what renderTable writes', async (t) => {
  const text = fs.readFileSync(path.join('test', 'core-functional.md'), 'utf8');
  const table = parseTable(text);
  t.ok(table.rows.length > 130);
  t.same(parseTable(renderTable(table)), table);
  t.equal(renderTable(table), text, 'nothing is entered by another hand');
});

t.test('parses a row with cells for each version, and rejects malformed tables', async (t) => {
  const { rows, before, after } = parseTable(
    'before\n\n| test | 0.21.1 | reason |\n| --- | --- | --- |\n| a_b | missing | it, `x` |\n| c_d |  |  |  | pass |  | now |\nafter',
  );
  t.same(rows, [
    { test: 'a_b', cells: { '0.21.1': { result: 'missing', reason: 'it, `x`', ran: '' } } },
    { test: 'c_d', cells: { '31': { result: 'pass', reason: '', ran: 'now' } } },
  ]);
  t.equal(before, 'before\n');
  t.equal(after, 'after');
  t.throws(() => parseTable('| test | 0.21.1 | reason |\n| --- | --- | --- |\n| a_b | perhaps | |'), /can't be read/);
  t.throws(() => parseTable('| test |\n| --- |\n| a_b | pass |  |  | pass |  |  | pass |'), /can't be read/);
  t.throws(() => parseTable('nothing'), /no table/);
});

t.test('cellAfter sets result, reason and date of a cell after a run', async (t) => {
  t.same(cellAfter(cell, { kind: 'passed', words: '' }, NOW), { ...cell, ran: NOW }, 'a note on a pass stays');
  t.same(cellAfter(cell, { kind: 'failed', words: 'a | b\n c' }, NOW), { ...cell, result: 'fail', reason: 'a b c', ran: NOW });
  const known: Cell = { ...cell, result: 'on purpose', reason: 'wanted' };
  t.same(cellAfter(known, { kind: 'failed', words: 'x' }, NOW), { ...known, ran: NOW }, 'a known reason stays');
  t.same(cellAfter(known, { kind: 'passed', words: '' }, NOW), { ...cell, reason: '', ran: NOW }, 'which a pass ends');
  t.same(cellAfter(cell, { kind: 'skipped', words: 'no zmq' }, NOW), { ...cell, result: 'not run', reason: 'no zmq', ran: NOW });
  const failed: Cell = { ...cell, result: 'fail', reason: 'old words' };
  t.same(cellAfter(undefined, { kind: 'passed', words: '' }, NOW), { result: 'pass', reason: '', ran: NOW }, 'the first run');
  t.equal(cellAfter(failed, { kind: 'failed', words: 'new words' }, NOW).reason, 'new words');
});
