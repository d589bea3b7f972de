// The table of Core's functional tests: what a run changes in it, and what it leaves.
import fs from 'node:fs';
import path from 'node:path';
import t from 'tap';
import { parseTable, type Row, renderTable, rowAfter } from '../../core/table.js';

const row: Row = { test: 'feature_x', result: 'pass', reason: 'with `--ipv4`', ran: '' };
const NOW = 'abc1234, 2026-11-22';

t.test('the table in the repository reads back as it is written', async (t) => {
  const text = fs.readFileSync(path.join('test', 'core-functional.md'), 'utf8');
  const table = parseTable(text);
  t.ok(table.rows.length > 130);
  t.same(parseTable(renderTable(table)), table);
  t.equal(renderTable(table), text, 'nothing is entered by another hand');
});

t.test('rows of three cells are those of tests that the command has not run', async (t) => {
  const { rows, before, after } = parseTable(
    'before\n\n| test | result | reason |\n| --- | --- | --- |\n| a_b | missing | it, `x` |\nafter',
  );
  t.same(rows, [{ test: 'a_b', result: 'missing', reason: 'it, `x`', ran: '' }]);
  t.equal(before, 'before\n');
  t.equal(after, 'after');
  t.throws(() => parseTable('| test | result | reason |\n| --- | --- | --- |\n| a_b | perhaps | |'), /can't be read/);
  t.throws(() => parseTable('nothing'), /no table/);
});

t.test('what a run makes of a row', async (t) => {
  t.same(rowAfter(row, { kind: 'passed', words: '' }, NOW), { ...row, ran: NOW }, 'a note on a pass stays');
  t.same(rowAfter(row, { kind: 'failed', words: 'a | b\n c' }, NOW), { ...row, result: 'fail', reason: 'a b c', ran: NOW });
  const known: Row = { ...row, result: 'on purpose', reason: 'wanted' };
  t.same(rowAfter(known, { kind: 'failed', words: 'x' }, NOW), { ...known, ran: NOW }, 'a known reason stays');
  t.same(rowAfter(known, { kind: 'passed', words: '' }, NOW), { ...row, reason: '', ran: NOW }, 'which a pass ends');
  t.same(rowAfter(row, { kind: 'skipped', words: 'no zmq' }, NOW), { ...row, result: 'not run', reason: 'no zmq', ran: NOW });
  const failed: Row = { ...row, result: 'fail', reason: 'old words' };
  t.equal(rowAfter(failed, { kind: 'failed', words: 'new words' }, NOW).reason, 'new words');
});
