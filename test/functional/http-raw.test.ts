// Tests HTTP at the level of bytes: replies have Core's format, and every form of request that Core accepts works on
// the RPC port and on the additional port of -rpclenientport.
import net from 'node:net';
import t from 'tap';
import { Daemon } from '../framework/daemon.js';
import { freePort } from '../framework/ports.js';
import { type RawReply, RawSocket } from '../framework/raw-http.js';

const BODY = '{"method":"getblockcount","id":1}';
const AUTH = 'Authorization: Basic dTpw\r\n';
const LENGTH = `Content-Length: ${BODY.length}\r\n`;
const WHOLE = `POST / HTTP/1.1\r\nHost: x\r\n${AUTH}${LENGTH}\r\n${BODY}`;
const RESULT = '{"result":0,"error":null,"id":1}\n';

async function ask(port: number, bytes: string, patienceMs?: number): Promise<RawReply> {
  const socket = await RawSocket.open(port);
  try {
    socket.send(bytes);
    return await socket.reply(patienceMs);
  } finally {
    socket.close();
  }
}

t.test('serves HTTP on the RPC port and on -rpclenientport', async (t) => {
  const lenient = await freePort();
  const node = await Daemon.startAs('u:p', '-rpcuser=u', '-rpcpassword=p', `-rpclenientport=${lenient}`);
  t.teardown(() => node.remove());

  t.test('formats replies byte for byte', async (t) => {
    for (const port of [node.port, lenient]) {
      const { statusLine, headers, body } = await ask(port, WHOLE);
      t.equal(statusLine, 'HTTP/1.1 200 OK');
      t.same([...headers.keys()], ['content-type', 'date', 'content-length'], 'these headers in this order, and no other');
      t.equal(headers.get('content-type'), 'application/json');
      t.equal(body, RESULT);
    }
    const closing = await ask(node.port, WHOLE.replace('Host: x', 'Host: x\r\nConnection: close'));
    t.equal(closing.headers.get('connection'), 'close');
  });

  t.test('refuses malformed requests with the status that Core gives', async (t) => {
    for (const [bytes, status, body] of [
      ['GET / HTTP/1.1\r\nHost: x\r\n\r\n', '405 Method Not Allowed', 'JSONRPC server handles only POST requests'],
      ['PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n', '405 Method Not Allowed', 'JSONRPC server handles only POST requests'],
      ['DELETE / HTTP/1.1\r\nHost: x\r\n\r\n', '405 Method Not Allowed', ''],
      [WHOLE.replace('POST /', 'POST /?x=1'), '404 Not Found', ''],
      [WHOLE.replace('POST /', 'POST /foo'), '404 Not Found', ''],
      [WHOLE.replace(AUTH, ''), '401 Unauthorized', ''],
      [WHOLE.replace('Basic', 'basic'), '401 Unauthorized', ''],
    ] as const) {
      for (const port of [node.port, lenient]) {
        const reply = await ask(port, bytes);
        t.equal(reply.statusLine, `HTTP/1.1 ${status}`, bytes.split('\r')[0]);
        t.equal(reply.body, body);
        t.equal(reply.headers.get('content-type'), 'text/html; charset=ISO-8859-1');
        if (status.startsWith('401')) t.equal(reply.headers.get('www-authenticate'), 'Basic realm="jsonrpc"');
      }
    }
    for (const [bytes, status] of [
      ['OPTIONS / HTTP/1.1\r\nHost: x\r\n\r\n', '501 Not Implemented'],
      [`POST / HTTP/1.1\r\nHost: x\r\n${AUTH}Content-Length: 33554433\r\n\r\n`, '413 Request Entity Too Large'],
    ] as const) {
      for (const port of [node.port, lenient]) {
        const reply = await ask(port, bytes);
        t.equal(reply.statusLine, `HTTP/1.1 ${status}`, bytes.split('\r')[0]);
        const [code, ...words] = status.split(' ');
        const text = words.join(' ');
        t.equal(reply.body, `<HTML><HEAD>\n<TITLE>${code} ${text}</TITLE>\n</HEAD><BODY>\n<H1>${text}</H1>\n</BODY></HTML>\n`);
      }
    }
    const missing = await ask(node.port, 'HEAD / HTTP/1.1\r\nHost: x\r\n\r\n', 500).catch((error: Error) => error.message);
    t.match(missing, 'no reply in time', 'HEAD: the length of a body that does not come');
  });

  t.test('accepts every form of a request that Core accepts', async (t) => {
    const bare = (text: string): string => text.replaceAll('\r\n', '\n');
    const chunk = `${BODY.length.toString(16)}\r\n${BODY}\r\n0\r\n`;
    const framed = (headers: string, body: string): string => `${WHOLE.slice(0, -BODY.length - 2).replace(LENGTH, headers)}\r\n${body}`;
    for (const [what, bytes] of [
      ['HTTP/1.0', WHOLE.replace('HTTP/1.1', 'HTTP/1.0')],
      ['bare line feeds', bare(WHOLE)],
      ['an absolute target', WHOLE.replace('POST /', 'POST http://x/')],
      ['no Host', WHOLE.replace('Host: x\r\n', '')],
      ['a folded header', WHOLE.replace('Host: x', 'Host: x\r\nFoo: a\r\n b')],
      ['a folded header, with bare line feeds', bare(WHOLE.replace('Host: x', 'Host: x\r\nFoo: a\r\n\tb'))],
      ['an empty line before the request', `\r\n${WHOLE}`],
      ['many headers', WHOLE.replace('Host: x', `Host: x${'\r\nA: b'.repeat(1200)}`)],
      ['a head of 8 kB', WHOLE.replace('Host: x', `Host: x\r\nA: ${'b'.repeat(8000)}`)],
      ['two equal lengths', framed(LENGTH + LENGTH, BODY)],
      ['identity and a length', framed(`Transfer-Encoding: identity\r\n${LENGTH}`, BODY)],
      ['chunks', framed('Transfer-Encoding: Chunked\r\n', `${chunk}\r\n`)],
      ['chunks and a length', framed(`Transfer-Encoding: chunked\r\n${LENGTH}`, `${chunk}\r\n`)],
      ['a chunk with an extension', framed('Transfer-Encoding: chunked\r\n', `${chunk.replace('\r\n', ' ;a=b\r\n')}\r\n`)],
      ['chunks and trailers', framed('Transfer-Encoding: chunked\r\n', `${chunk}X: y\r\nZ: y\r\n\r\n`)],
      ['chunks with bare line feeds', bare(framed('Transfer-Encoding: chunked\r\n', `${chunk}\r\n`))],
    ] as const) {
      const reply = await ask(node.port, bytes);
      t.equal(reply.statusLine, `HTTP/1.${what === 'HTTP/1.0' ? 0 : 1} 200 OK`, what);
      t.equal(reply.body, RESULT, what);
    }
    for (const [what, bytes] of [
      ['a head that is too large', WHOLE.replace('Host: x', `Host: x\r\nA: ${'b'.repeat(8200)}`)],
      ['two lengths that differ', framed(`${LENGTH}Content-Length: 1\r\n`, BODY)],
      ['a chunk longer than its size', framed('Transfer-Encoding: chunked\r\n', `1\r\n${BODY}\r\n0\r\n\r\n`)],
    ] as const)
      t.equal((await ask(node.port, bytes)).statusLine, 'HTTP/1.1 400 Bad Request', what);
  });

  t.test('keeps or closes the connection after a reply as Core does', async (t) => {
    const kept = await RawSocket.open(node.port);
    kept.send(WHOLE.replace('HTTP/1.1\r\n', 'HTTP/1.0\r\nConnection: keep-alive\r\n'));
    t.equal((await kept.reply()).headers.get('connection'), 'keep-alive');
    kept.send(WHOLE);
    t.equal((await kept.reply()).body, RESULT, 'HTTP/1.0 that asks for it keeps its connection');
    kept.close();
    for (const bytes of [
      WHOLE.replace('HTTP/1.1', 'HTTP/1.0'),
      `${WHOLE.slice(0, -BODY.length - 2)}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    ]) {
      const socket = await RawSocket.open(node.port);
      socket.send(bytes);
      await socket.reply();
      await socket.closed();
      t.ok(socket.ended);
    }
    const half = net.connect({ port: node.port, host: '127.0.0.1', allowHalfOpen: true });
    half.end(WHOLE.replace('getblockcount', 'getrawmempool').repeat(2));
    let answer = '';
    for await (const bytes of half) answer += bytes;
    t.equal(answer.split('HTTP/1.1 200 OK').length - 1, 2, 'a client that has ended its side gets what it asked for');
  });

  t.test('answers pipelined requests in order', async (t) => {
    // Five requests, of which the first is answered by a front thread alone, the second by the node thread, the third
    // with 404, and the fourth with 401 after the delay of a quarter of a second for a wrong password.
    const wrong = WHOLE.replace('dTpw', 'dTpxx');
    const mixed = [WHOLE, WHOLE.replace('getblockcount', 'getrawmempool'), WHOLE.replace('POST /', 'POST /foo'), wrong, WHOLE];
    const statuses = [200, 200, 404, 401, 200];
    for (const port of [node.port, lenient]) {
      for (const pieces of [1, 7, 100_000]) {
        const socket = await RawSocket.open(port);
        const bytes = mixed.join('');
        for (let at = 0; at < bytes.length; at += pieces) socket.send(bytes.slice(at, at + pieces));
        const got: number[] = [];
        while (got.length < mixed.length) got.push(Number((await socket.reply()).statusLine.slice(9, 12)));
        t.same(got, statuses, `in their order, sent in pieces of ${pieces}`);
        socket.close();
      }
    }
    // More requests than the node reads in advance from one connection.
    const socket = await RawSocket.open(node.port);
    const many = 2000;
    socket.send(WHOLE.replace('getblockcount', 'getrawmempool').repeat(many));
    let got = 0;
    for (; got < many; got++) await socket.reply();
    t.equal(got, many);
    socket.close();
  });
});
