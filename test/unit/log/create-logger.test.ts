// debug.log's shape: what a line begins with, what is escaped, what is kept.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import t from 'tap';
import { createLogger, type LogOptions, type NodeLogger } from '../../../src/log/create-logger.js';

const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'adit-log-'));
t.teardown(() => fs.rmSync(dir, { recursive: true, force: true }));
let count = 0;

function written(options: Partial<LogOptions>, use: (log: NodeLogger) => void): string {
  const file = path.join(dir, `${++count}.log`);
  const log = createLogger({
    file,
    console: false,
    categories: [],
    excluded: [],
    timestamps: true,
    micros: false,
    threadNames: false,
    shrink: undefined,
    ...options,
  });
  use(log);
  log.close();
  return fs.readFileSync(options.file ?? file, 'utf8');
}

t.test('what a line begins with', async (t) => {
  const hello = (log: NodeLogger): void => log.info('hello');
  t.match(written({}, hello), /^\n{5}\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ hello\n$/);
  t.match(written({ micros: true }, hello), /\n\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z hello\n$/);
  t.equal(written({ timestamps: false }, hello), '\n\n\n\n\nhello\n');
  t.match(written({ threadNames: true }, hello), /Z \[main\] hello\n$/);
  const mocked = written({}, (log) => {
    log.showMockTime(() => 1_600_000_000);
    log.info('then');
  });
  t.match(mocked, /Z \(mocktime: 2020-09-13T12:26:40Z\) then\n$/);
  t.match(
    written({}, (log) => log.warn('a')),
    /Z Warning: a\n/,
  );
});

t.test('a line is in the file at once: what tells of it may be read by another thread before this turn ends', async (t) => {
  const file = path.join(dir, 'at-once.log');
  written({ file }, (log) => {
    log.info('one');
    t.match(fs.readFileSync(file, 'utf8'), /one\n$/);
  });
});

t.test('categories', async (t) => {
  const all = (log: NodeLogger): void => {
    log.debug('rpc', 'one');
    log.debug('http', 'two');
  };
  t.notMatch(written({}, all), /one|two/);
  t.match(written({ categories: ['1'], excluded: ['http'] }, all), /\[rpc\] one\n$/);
  t.match(written({ categories: ['nosuch'] }, all), /Unsupported logging category -debug=nosuch\./);
});

t.test('text from outside begins no line of its own', async (t) => {
  t.match(
    written({}, (log) => log.info('user=a\n2030-01-01T00:00:00Z b')),
    /user=a\n {4}2030-01-01T00:00:00Z b\n$/,
  );
  t.match(
    written({}, (log) => log.info('user=a\r\u001b[2Jb')),
    /user=a\\x0d\\x1b\[2Jb\n$/,
  );
});

t.test('a log that has grown is cut at a start', async (t) => {
  const file = path.join(dir, 'grown.log');
  const old = `begin${'x'.repeat(11_000_000)}end\n`;
  fs.writeFileSync(file, old);
  t.ok(written({ file, categories: ['rpc'] }, () => {}).startsWith('begin'), 'not with -debug');
  const cut = written({ file }, () => {});
  t.equal(cut.length, 10_000_000 + 5);
  t.ok(cut.includes('xend\n'));
  fs.writeFileSync(file, 'small');
  t.ok(written({ file }, () => {}).startsWith('small'));
  fs.writeFileSync(file, old);
  t.ok(written({ file, shrink: false }, () => {}).startsWith('begin'));
});

t.test('a file that is moved away', async (t) => {
  const file = path.join(dir, 'moved.log');
  const after = written({ file }, (log) => {
    log.info('one');
    fs.renameSync(file, `${file}.1`);
    log.reopen();
    log.info('two');
  });
  t.match(after, /two\n$/);
  t.notMatch(after, /one/);
});
