// debug.log's shape: what a line begins with, what is escaped, what is kept.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import t from 'tap';
import { createLogger, type LogOptions, logNotes, type NodeLogger } from '../../../src/log/create-logger.js';

const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'adit-log-'));
t.teardown(() => fs.rmSync(dir, { recursive: true, force: true }));
let count = 0;

const quiet: LogOptions = {
  file: undefined,
  console: false,
  categories: [],
  excluded: [],
  timestamps: true,
  micros: false,
  threadNames: false,
  levelAlways: false,
  levels: [],
  echoWarnings: false,
  shrink: undefined,
};

function written(options: Partial<LogOptions>, use: (log: NodeLogger) => void): string {
  const file = path.join(dir, `${++count}.log`);
  const log = createLogger({ ...quiet, file, ...options });
  use(log);
  log.close();
  return fs.readFileSync(options.file ?? file, 'utf8');
}

t.test('starts each line with the time, mock time and thread name as the options say', async (t) => {
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
  t.match(
    written({}, (log) => log.warn('Warning: b')),
    /Z Warning: b\n/,
  );
  t.match(
    written({ levelAlways: true }, (log) => log.warn('Warning: c')),
    /Z \[all:warning\] Warning: c\n/,
  );
});

t.test('writes a line to the file before the call returns', async (t) => {
  const file = path.join(dir, 'at-once.log');
  written({ file }, (log) => {
    log.info('one');
    t.match(fs.readFileSync(file, 'utf8'), /one\n$/);
  });
});

t.test('writes debug lines of enabled categories only', async (t) => {
  const all = (log: NodeLogger): void => {
    log.debug('rpc', 'one');
    log.debug('http', 'two');
  };
  t.notMatch(written({}, all), /one|two/);
  t.match(written({ categories: ['1'], excluded: ['http'] }, all), /\[rpc\] one\n$/);
});

t.test('escapes line breaks and control characters in logged text', async (t) => {
  t.match(
    written({}, (log) => log.info('user=a\n2030-01-01T00:00:00Z b')),
    /user=a\n {4}2030-01-01T00:00:00Z b\n$/,
  );
  t.match(
    written({}, (log) => log.info('user=a\r\u001b[2Jb')),
    /user=a\\x0d\\x1b\[2Jb\n$/,
  );
});

t.test('shrinks a large log at the start, unless -debug or -shrinkdebugfile=0 is set', async (t) => {
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

t.test('reopen continues in a new file after the old one was moved', async (t) => {
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

t.test('continues in the old file when the new one cannot be opened, until a later reopening succeeds', async (t) => {
  const file = path.join(dir, 'rotated.log');
  const after = written({ file }, (log) => {
    log.info('one');
    fs.renameSync(file, `${file}.1`);
    fs.mkdirSync(file);
    log.reopen();
    log.info('two');
    t.match(
      fs.readFileSync(`${file}.1`, 'utf8'),
      /one\n.* Warning: Could not open debug log file .*rotated\.log \(EISDIR\)\. .*\n.*two\n$/,
    );
    fs.rmdirSync(file);
    log.reopen();
    log.info('three');
  });
  t.match(after, /^[^\n]* three\n$/);
});

t.test(
  'loses lines without an exception when the disk is full',
  { skip: fs.existsSync('/dev/full') ? false : 'there is no /dev/full' },
  async (t) => {
    t.doesNotThrow(() => {
      const log = createLogger({ ...quiet, file: '/dev/full' });
      log.info('lost');
      log.reopen();
      log.close();
    });
  },
);

t.test('writes debug lines at or above the level of their category', async (t) => {
  const all = (log: NodeLogger): void => {
    log.debug('net', 'of net');
    log.debug('rpc', 'of rpc');
    log.info('always');
  };
  const of = (...levels: LogOptions['levels']): string[] =>
    written({ categories: ['all'], levels, timestamps: false }, all)
      .split('\n')
      .filter((line) => line !== '');
  t.same(of(['', 'debug']), ['[net] of net', '[rpc] of rpc', 'always']);
  t.same(of(['', 'info']), ['always']);
  t.same(of(['', 'info'], ['rpc', 'trace']), ['[rpc] of rpc', 'always']);
  t.same(of(['rpc', 'info']), ['[net] of net', 'always']);
});

t.test('writes category and level in each line with -loglevelalways', async (t) => {
  const text = written({ categories: ['net'], levelAlways: true, timestamps: false }, (log) => {
    log.info('a');
    log.warn('b');
    log.error('c');
    log.debug('net', 'd');
  });
  t.equal(text, '\n\n\n\n\n[all:info] a\n[all:warning] b\n[all:error] c\n[net:debug] d\n');
});

t.test('writes warnings to stderr when the log is not on the console', async (t) => {
  const caught = (options: Partial<LogOptions>): readonly string[] => {
    const lines: string[] = [];
    const { stdout, stderr } = process;
    const [out, err] = [stdout.write, stderr.write];
    stdout.write = () => true;
    stderr.write = (text: string | Uint8Array) => lines.push(String(text)) > 0;
    try {
      written(options, (log) => {
        log.info('a');
        log.warn('b\nc');
        log.error('d');
        log.fatal('e');
        log.warnLoudly('f');
      });
    } finally {
      stdout.write = out;
      stderr.write = err;
    }
    return lines;
  };
  t.same(caught({}), ['Error: e\n', 'Warning: f\n']);
  t.same(caught({ echoWarnings: true }), ['Warning: b\n    c\n', 'Error: d\n', 'Error: e\n', 'Warning: f\n']);
  t.same(caught({ echoWarnings: true, console: true }), ['Error: e\n', 'Warning: f\n']);
});

t.test('logs notes of the options that begin with Warning as warnings', async (t) => {
  const text = written({ levelAlways: true, timestamps: false }, (log) => logNotes(['a', 'Warning: b'], log));
  t.equal(text, '\n\n\n\n\n[all:info] a\n[all:warning] b\n');
});
