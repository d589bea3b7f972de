// Tests heads and bodies as bytes, without a socket.
import t from 'tap';
import { BodyReader } from '../../../src/http/front/body-reader.js';
import { emptyLines, findHead, HeadFault, MOST_HEAD_BYTES, newSearch, readHead } from '../../../src/http/front/head.js';

/** Returns the head at the beginning of these bytes and the rest; null if the head is incomplete. */
function read(text: string) {
  const sent = Buffer.from(text, 'latin1');
  const bytes = sent.subarray(emptyLines(sent));
  const end = findHead(bytes);
  return end < 0 ? null : { head: readHead(bytes.toString('latin1', 0, end)), rest: bytes.toString('latin1', end) };
}

const usual = {
  method: 'POST',
  target: '/',
  minor: 1,
  authorization: '',
  acceptEncoding: '',
  contentLength: -1,
  chunked: false,
  closing: 'no',
  keepAliveHttp10: false,
  expectsContinue: false,
};

t.test('parses heads that Core accepts', (t) => {
  for (const [text, expected] of [
    ['POST / HTTP/1.1\r\n\r\n', {}],
    ['\r\n\nPOST / HTTP/1.1\n\n', {}],
    ['post /wallet/a%20b?x HTTP/1.9\r\n\r\n', { method: 'post', target: '/wallet/a%20b?x', minor: 9 }],
    ['POST http://host:8332/wallet/x HTTP/1.1\r\n\r\n', { target: '/wallet/x' }],
    ['POST https://host HTTP/1.1\r\n\r\n', {}],
    ['POST http://host?/wallet/x HTTP/1.1\r\n\r\n', { target: '/?/wallet/x' }],
    ['POST http://host#/wallet/x HTTP/1.1\r\n\r\n', { target: '/#/wallet/x' }],
    ['POST x?y://host/wallet/x HTTP/1.1\r\n\r\n', { target: 'x?y://host/wallet/x' }],
    ['OPTIONS * HTTP/1.1\r\n\r\n', { method: 'OPTIONS', target: '*' }],
    ['POST /wallet/\xc3\xbc HTTP/1.1\r\n\r\n', { target: '/wallet/ü' }],
    ['POST / HTTP/1.1\r\nauthorization:  Basic dTpw \r\nAuthorization: Basic other\r\n\r\n', { authorization: 'Basic dTpw' }],
    ['POST / HTTP/1.1\r\nAuthorization: Basic\r\n\t dTpw\r\n\r\n', { authorization: 'Basic  dTpw' }],
    ['POST / HTTP/1.1\r\nAccept-Encoding: gzip\r\nX: a:b\r\nY:\r\n\r\n', { acceptEncoding: 'gzip' }],
    ['POST / HTTP/1.1\r\nCONTENT-LENGTH: 007\r\nContent-Length: 007\r\n\r\n', { contentLength: 7 }],
    ['POST / HTTP/1.1\r\nContent-Length: \t 7\t \r\n\r\n', { contentLength: 7 }],
    ['POST / HTTP/1.1\r\nTransfer-Encoding: CHUNKED\r\n\r\n', { chunked: true }],
    ['POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nContent-Length: 7\r\n\r\n', { chunked: true, closing: 'server' }],
    ['POST / HTTP/1.1\r\nTransfer-Encoding: Identity\r\nContent-Length: 7\r\n\r\n', { contentLength: 7, closing: 'server' }],
    ['POST / HTTP/1.1\r\nTransfer-Encoding: identity\r\nTransfer-Encoding: chunked\r\n\r\n', { closing: 'server' }],
    ['POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: gzip\r\n\r\n', { chunked: true, closing: 'server' }],
    ['POST / HTTP/1.1\r\nTransfer-Encoding:\r\nTransfer-Encoding: chunked\r\n\r\n', { closing: 'server' }],
    [
      'POST / HTTP/1.0\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n',
      { minor: 0, chunked: true, keepAliveHttp10: true, closing: 'server' },
    ],
    ['POST / HTTP/1.1\r\nConnection: Close\r\n\r\n', { closing: 'client' }],
    ['POST / HTTP/1.0\r\n\r\n', { minor: 0, closing: 'old' }],
    ['POST / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n', { minor: 0, keepAliveHttp10: true }],
    ['POST / HTTP/1.1\r\nExpect: 100-Continue\r\n\r\n', { expectsContinue: true }],
    ['POST / HTTP/1.0\r\nExpect: 100-continue\r\n\r\n', { minor: 0, closing: 'old' }],
  ] as const)
    t.same(read(`${text}POST`), { head: { ...usual, ...expected }, rest: 'POST' }, JSON.stringify(text));
  t.end();
});

t.test('refuses malformed heads with the cause', (t) => {
  for (const [text, cause] of [
    ['POST /\0 HTTP/1.1\r\n\r\n', /control character/],
    ['POST / HTTP/1.1\r\nContent-Length\v: 5\r\n\r\n', /control character/],
    ['POST / HTTP/1.1\r\nTransfer-Encoding: \vchunked\r\n\r\n', /control character/],
    ['POST / HTTP/1.1\r\nA: \x7f\r\n\r\n', /control character/],
    ['POST / HTTP/1.1\r\nTransfer-Encoding\xa0: chunked\r\n\r\n', /name has .* beyond ASCII/],
    ['POST / HTTP/1.1\r\nTransfer-Encoding: \xa0chunked\r\n\r\n', /other than chunked/],
    ['POST / HTTP/1.1\r\nContent-Length: 5\xa0\r\n\r\n', /not a number/],
    ['POST / HTTP/1.1\r\nA: b\rc: d\r\n\r\n', /carriage return/],
    ['POST\r\n\r\n', /request line/],
    ['POST  / HTTP/1.1\r\n\r\n', /request line/],
    ['POST / x HTTP/1.1\r\n\r\n', /request line/],
    ['POST / HTTP/2.0\r\n\r\n', /version/],
    ['POST / HTTP/1.10\r\n\r\n', /version/],
    ['POST / http/1.1\r\n\r\n', /version/],
    ['POST / HTTP/1.1\r\nHost\r\n\r\n', /without a colon/],
    ['POST / HTTP/1.1\r\n: x\r\n\r\n', /without a name/],
    ['POST / HTTP/1.1\r\nContent-Length : 5\r\n\r\n', /name has a space/],
    ['POST / HTTP/1.1\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n', /differ/],
    ['POST / HTTP/1.1\r\nContent-Length: 5, 5\r\n\r\n', /not a number/],
    ['POST / HTTP/1.1\r\nContent-Length: -5\r\n\r\n', /not a number/],
    ['POST / HTTP/1.1\r\nTransfer-Encoding: gzip, chunked\r\n\r\n', /other than chunked/],
    [`POST /${'a'.repeat(MOST_HEAD_BYTES)}`, /8192 bytes/],
    [`POST / HTTP/1.1\r\nA: ${'b'.repeat(MOST_HEAD_BYTES)}`, /8192 bytes/],
    [`POST / HTTP/1.1\r\n${'A: b\r\n'.repeat(1400)}`, /8192 bytes/],
  ] as const) {
    t.throws(() => read(text), { constructor: HeadFault, message: cause }, JSON.stringify(text.slice(0, 60)));
  }
  t.end();
});

t.test('finds the end of a head only when the head is complete', (t) => {
  for (const line of ['\r\n', '\n']) {
    const whole = `${line}${line}POST / HTTP/1.1${line}Host: x${line}${line}`;
    for (let size = 0; size < whole.length; size++) t.equal(read(whole.slice(0, size)), null);
    t.not(read(whole), null);
  }
  t.not(read(`POST /${'a'.repeat(8100)} HTTP/1.1\r\nA: ${'b'.repeat(8100)}\r\n\r\n`), null, 'a line and headers, each up to 8192 bytes');
  t.end();
});

t.test('scans each byte of a head once, if the head arrives byte by byte', (t) => {
  const whole = Buffer.from(`POST / HTTP/1.1\r\n${'a:\n'.repeat(2000)}b: c\r\n\r\n`);
  const search = newSearch();
  let searched = 0;
  for (let size = 1; size < whole.length; size++) {
    const bytes = whole.subarray(0, size);
    bytes.indexOf = (byte: number, from: number) => {
      searched += size - from;
      return Buffer.prototype.indexOf.call(bytes, byte, from);
    };
    t.equal(findHead(bytes, search), -1);
  }
  t.equal(findHead(whole, search), whole.length);
  t.ok(searched < 20 * whole.length, `${searched} of ${whole.length} bytes`);
  t.throws(() => {
    const many = newSearch();
    for (let sent = 'P / 1\n'; ; sent += 'a:\n') findHead(Buffer.from(sent), many);
  }, /8192 bytes/);
  t.end();
});

t.test('reads bodies in pieces of any size', (t) => {
  const next = 'POST / HTTP/1.1';
  for (const [framing, sent] of [
    [{ chunked: false, contentLength: 26 }, 'abcdefghijklmnopqrstuvwxyz'],
    [{ chunked: true, contentLength: -1 }, '1a\r\nabcdefghijklmnopqrstuvwxyz\r\n0\r\n\r\n'],
    [
      { chunked: true, contentLength: -1 },
      `5 ;x="y"\r\nabcde\r\n${'0'.repeat(20)}15\nfghijklmnopqrstuvwxyz\n0;last\r\nX: y;\nZ: y\r\n\r\n`,
    ],
  ] as const) {
    const bytes = Buffer.from(sent + next);
    for (let size = 1; size <= bytes.length; size++) {
      const reader = new BodyReader(framing);
      let body = '';
      let ends = 0;
      let at = 0;
      while (!reader.done) {
        at += reader.takeBytes(bytes.subarray(at, at + size), (piece, last) => {
          body += piece.toString();
          if (last) ends++;
        });
      }
      t.same([body, ends, bytes.toString('latin1', at)], ['abcdefghijklmnopqrstuvwxyz', 1, next], `${sent.slice(0, 9)} by ${size}`);
    }
  }
  t.equal(new BodyReader({ chunked: false, contentLength: 0 }).done, true);
  t.equal(new BodyReader({ chunked: false, contentLength: -1 }).done, true);
  t.end();
});

t.test('refuses malformed chunks with the cause', (t) => {
  for (const [sent, cause] of [
    ['x\r\n', /without a size/],
    ['\r\n', /without a size/],
    ['-1\r\n', /without a size/],
    ['\xa01\r\n', /without a size/],
    ['1\r\r\na', /control character/],
    ['1;a\rb\r\na', /control character/],
    ['1;a\0\r\na', /control character/],
    ['1;a\na', /bare line feed/],
    ['0\r\nGET / HTTP/1.1\r\n\r\n', /without a colon/],
    ['0\r\n X: y\r\n\r\n', /name has a space/],
    ['0\r\nX: a\rb\r\n\r\n', /control character/],
    ['1000000000000\r\n', /a chunk size of 281474976710656 bytes or more/],
    ['1\r\nab\r\n', /longer than its size/],
    [`1;${'a'.repeat(MOST_HEAD_BYTES)}`, /8192 bytes/],
    [`0\r\n${'A: b\r\n'.repeat(3000)}`, /trailers/],
  ] as const) {
    const reader = new BodyReader({ chunked: true, contentLength: -1 });
    t.throws(
      () => reader.takeBytes(Buffer.from(sent, 'latin1'), () => {}),
      { constructor: HeadFault, message: cause },
      JSON.stringify(sent.slice(0, 20)),
    );
  }
  t.end();
});
