// HTTP as bytes on both ports: replies as Core writes them, and each point in which the main port differs (README,
// "What differs from Bitcoin Core"), with the lenient port beside it, which takes all of it.
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

// Several processes, on a machine that may have other work.
t.test('both ports', async (t) => {
  const lenient = await freePort();
  const node = await Daemon.startAs('u:p', '-rpcuser=u', '-rpcpassword=p', `-rpclenientport=${lenient}`);
  t.teardown(() => node.remove());

  t.test('a reply', async (t) => {
    for (const port of [node.port, lenient]) {
      const { statusLine, headers, body } = await ask(port, WHOLE);
      t.equal(statusLine, 'HTTP/1.1 200 OK');
      // How long the transport of the main port waits between two requests is its own; the lenient port waits as Core
      // does and says nothing.
      const wait = port === node.port ? ['keep-alive'] : [];
      t.same([...headers.keys()], ['content-type', ...wait, 'date', 'content-length'], 'these headers in this order, and no other');
      t.equal(headers.get('content-type'), 'application/json');
      t.equal(body, RESULT);
    }
    const closing = await ask(node.port, WHOLE.replace('Host: x', 'Host: x\r\nConnection: close'));
    t.equal(closing.headers.get('connection'), 'close');
  });

  t.test('what is refused as Core refuses it', async (t) => {
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

  t.test('what only the main port refuses', async (t) => {
    const bare = (text: string): string => text.replaceAll('\r\n', '\n');
    for (const [what, bytes, status] of [
      ['HTTP/1.0', WHOLE.replace('HTTP/1.1', 'HTTP/1.0'), '505 HTTP Version Not Supported'],
      ['bare line feeds', bare(WHOLE), '505 HTTP Version Not Supported'],
      ['an absolute target', WHOLE.replace('POST /', 'POST http://x/'), '505 HTTP Version Not Supported'],
      ['no Host', WHOLE.replace('Host: x\r\n', ''), '400 Bad Request'],
      ['a folded header', WHOLE.replace('Host: x', 'Host: x\r\nFoo: a\r\n b'), '400 Bad Request'],
      ['many headers', WHOLE.replace('Host: x', `Host: x${'\r\nA: b'.repeat(120)}`), '431 Request Header Fields Too Large'],
    ] as const) {
      t.equal((await ask(node.port, bytes)).statusLine, `HTTP/1.1 ${status}`, what);
      const reply = await ask(lenient, bytes);
      t.match(reply.statusLine, /^HTTP\/1\.[01] 200 OK$/, `${what}, leniently`);
      t.equal(reply.body, RESULT, what);
    }
    const large = WHOLE.replace('Host: x', `Host: x\r\nA: ${'b'.repeat(8200)}`);
    t.equal((await ask(node.port, large)).statusLine, 'HTTP/1.1 431 Request Header Fields Too Large');
    t.equal((await ask(node.port, WHOLE.replace('Host: x', `Host: x\r\nA: ${'b'.repeat(7900)}`))).body, RESULT, 'up to 8 kB');
  });

  t.test('requests sent ahead of replies', async (t) => {
    const slow = WHOLE.replace(BODY, BODY.replace('getblockcount', 'getrawmempool'));
    const replies = async (port: number, bytes: string, count: number): Promise<number> => {
      const socket = await RawSocket.open(port);
      socket.send(bytes.repeat(count));
      let got = 0;
      try {
        for (; got < count; got++) t.match((await socket.reply()).body, /"error":null/);
      } catch {
        // The socket was closed.
      }
      socket.close();
      return got;
    };
    t.equal(await replies(node.port, WHOLE, 4), 4, 'calls that a front answers alone');
    t.equal(await replies(lenient, slow, 4), 4, 'the lenient port takes all of them in their order');
    t.ok((await replies(node.port, slow, 4)) < 4, 'behind one that the node answers the main port closes');
    t.equal((await ask(node.port, WHOLE)).body, RESULT, 'others are served');
  });
});
