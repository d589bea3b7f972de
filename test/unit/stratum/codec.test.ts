// Tests reading and writing of lines, against bytes that are written out.
import t from 'tap';
import { LineReader } from '../../../src/stratum/codec/line-reader.js';
import { encodeError, encodeResult, encodeSetDifficulty } from '../../../src/stratum/codec/reply.js';
import { numberAt, readLine, textAt } from '../../../src/stratum/codec/request.js';
import { fc } from '../../framework/fast-check.js';

const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1');
const line = (json: string) => readLine(Buffer.from(json, 'latin1'));

/** Returns the lines that a reader finds in these pieces, and false where it refuses them. */
function linesOf(pieces: readonly string[], reader = new LineReader()): (string | false)[] {
  const lines: (string | false)[] = [];
  for (const piece of pieces) {
    const within = reader.push(Buffer.from(piece, 'latin1'), (bytes) => {
      lines.push(text(bytes));
      return true;
    });
    if (!within) lines.push(false);
  }
  return lines;
}

t.test('cuts lines at LF and removes a CR before it', async (t) => {
  t.same(linesOf(['a\nb\r\n\nc']), ['a', 'b', '']);
  t.same(linesOf(['a', 'b', '\r', '\nc\n']), ['ab', 'c']);
  t.same(linesOf(['a\rb\n']), ['a\rb'], 'a CR elsewhere stays');
});

t.test('refuses a line of more than 8,192 bytes, with or without its end', async (t) => {
  const longest = 'x'.repeat(8192);
  t.same(linesOf([`${longest}\n`]), [longest]);
  t.same(linesOf([`${longest}\r\n`]), [longest]);
  t.same(linesOf([longest, '\r\n']), [longest]);
  t.same(linesOf([`${longest}y\n`]), [false]);
  t.same(linesOf([longest, 'y\n']), [false]);
  t.same(linesOf([longest, 'yz']), [false]);
});

t.test('stops at once when the caller has enough, and holds only what is incomplete', async (t) => {
  const reader = new LineReader();
  const seen: string[] = [];
  reader.push(Buffer.from('a\nb\n'), (bytes) => {
    seen.push(text(bytes));
    return false;
  });
  t.same(seen, ['a']);
  const other = new LineReader();
  linesOf(['abc'], other);
  t.equal(other.heldBytes, 3);
  linesOf(['\n'], other);
  t.equal(other.heldBytes, 0);
});

t.test('gives the same lines in pieces of any size', async () => {
  fc.assert(
    fc.property(fc.array(fc.string({ maxLength: 40 })), fc.integer({ min: 1, max: 50 }), (parts, size) => {
      const whole = parts.map((part) => part.replace(/[^ -~]/g, '')).join('\r\n');
      const pieces = whole.match(new RegExp(`[\\s\\S]{1,${size}}`, 'g')) ?? [];
      return JSON.stringify(linesOf(pieces)) === JSON.stringify(linesOf([whole]));
    }),
  );
});

t.test('keeps the id of a request as its JSON text', async (t) => {
  const id = (json: string) => {
    const read = line(`{"id":${json},"method":"m","params":[]}`);
    return read.kind === 'request' ? read.id : read.kind;
  };
  t.equal(id('1'), '1');
  t.equal(id('"auth"'), '"auth"');
  t.equal(id('0'), '0');
  t.equal(id('-1'), '-1');
  t.equal(id('"a\\"b"'), '"a\\"b"');
  t.equal(id('12345678901234567890'), '12345678901234567890', 'beyond the integers of a double');
  t.equal(id('1.5'), '1.5');
  t.equal(id('null'), null);
  t.equal(id('[1]'), null);
  t.equal(id('true'), null);
  t.same(line('{"method":"m"}'), { kind: 'request', id: null, method: 'm', params: [] });
});

t.test('tells requests from replies, empty lines and garbage', async (t) => {
  t.same(line('{"params":["a",1],"jsonrpc":"2.0","method":"m","id":7}'), { kind: 'request', id: '7', method: 'm', params: ['a', 1] });
  t.same(line('{"id":1,"method":"m","params":{"a":1}}'), { kind: 'request', id: '1', method: 'm', params: [] });
  t.same(line('{"id":5,"result":"pong","error":null}'), { kind: 'no-request' });
  t.same(line('{"id":5,"method":7}'), { kind: 'no-request' });
  for (const blank of ['', ' ', '\t']) t.same(line(blank), { kind: 'empty' });
  for (const bad of ['{', '[]', '1', '"a"', 'null', 'GET / HTTP/1.1', '{"id":1,}', '\x00']) t.same(line(bad), { kind: 'garbage' }, bad);
});

t.test('reads texts strictly and numbers leniently', async (t) => {
  t.equal(textAt(['a', 1], 0), 'a');
  t.equal(textAt(['a', 1], 1), null);
  t.equal(textAt([], 0), null);
  t.equal(numberAt([0.00015], 0), 0.00015);
  t.equal(numberAt(['0.001000'], 0), 0.001);
  for (const none of ['', 'x', '0x10', ' 1', 'Infinity', null, [1], {}]) t.equal(numberAt([none], 0), null, JSON.stringify(none));
});

t.test('writes both members of a reply, on one line', async (t) => {
  t.equal(encodeResult('9', true), '{"id":9,"result":true,"error":null}\n');
  t.equal(encodeResult('"auth"', { a: true }), '{"id":"auth","result":{"a":true},"error":null}\n');
  t.equal(encodeError('4', { code: 21, text: 'Stale share' }), '{"id":4,"result":null,"error":[21,"Stale share",null]}\n');
});

t.test('echoes ids of any encoding', async (t) => {
  const utf8 = line(Buffer.from('{"id":"ä","method":"m"}').toString('latin1'));
  t.equal(
    utf8.kind === 'request' && Buffer.from(encodeResult(utf8.id as string, true), 'latin1').toString(),
    '{"id":"ä","result":true,"error":null}\n',
  );
  const escaped = line('{"id":"\\u20ac","method":"m"}');
  t.equal(escaped.kind === 'request' && encodeResult(escaped.id as string, true), '{"id":"\\u20ac","result":true,"error":null}\n');
});

t.test('writes difficulties as JSON numbers', async (t) => {
  t.equal(encodeSetDifficulty(1024), '{"id":null,"method":"mining.set_difficulty","params":[1024]}\n');
  t.equal(encodeSetDifficulty(2 ** -13), '{"id":null,"method":"mining.set_difficulty","params":[0.0001220703125]}\n');
});
