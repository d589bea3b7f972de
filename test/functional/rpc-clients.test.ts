// Sends requests in the format of known clients: heads, line ends, framing and use of connections. mining-clients tests
// mining software. `npm run nightly` also runs installed programs, and tests idle connections.
import { spawn, spawnSync } from 'node:child_process';
import http from 'node:http';
import t, { type Test } from 'tap';
import { cliFile, Daemon } from '../framework/daemon.js';
import { nightly, nightlyTest } from '../framework/depth.js';
import { type RawReply, RawSocket } from '../framework/raw-http.js';

const node = await Daemon.startAs('user:password', '-rpcuser=user', '-rpcpassword=password', '-fallbackfee=0.0002');
t.teardown(() => node.remove());
const address = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080';
await node.call('generatetoaddress', 20, address);
const auth = Buffer.from(node.auth).toString('base64');

/** Format of a client's requests. */
interface Wire {
  readonly name: string;
  /** Lines of the head. <length> and <auth> are replaced by the length of the body and the credentials. */
  readonly head: readonly string[];
  readonly lineEnd?: string;
  /** Converts the body to the form in which it is sent, for example chunks. */
  readonly frame?: (body: string) => string;
  /**
   * Use of connections: "keeps" sends all calls on one connection one after the other, "ahead" sends all at once,
   * "closes" opens a connection for each call.
   */
  readonly habit: 'keeps' | 'ahead' | 'closes';
}

const chunked = (body: string): string => `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;

const CLIENTS: readonly Wire[] = [
  {
    name: 'bitcoin-cli',
    head: [
      'POST / HTTP/1.1',
      'Host: 127.0.0.1',
      'Connection: close',
      'Content-Type: application/json',
      'Authorization: Basic <auth>',
      'Content-Length: <length>',
    ],
    habit: 'closes',
  },
  {
    name: 'Fulcrum',
    head: [
      'POST / HTTP/1.1',
      `Host: 127.0.0.1:${node.port}`,
      'Content-Type: application/json-rpc',
      'Connection: keep-alive',
      'Authorization: Basic <auth>',
      'Content-Length: <length>',
    ],
    habit: 'ahead',
  },
  {
    name: 'electrs of Blockstream and mempool.space',
    head: ['POST / HTTP/1.1', 'Authorization: Basic <auth>', 'Content-Length: <length>'],
    lineEnd: '\n',
    habit: 'keeps',
  },
  {
    name: 'BFGMiner with libcurl 7.88',
    head: [
      'POST / HTTP/1.1',
      `Host: 127.0.0.1:${node.port}`,
      'Authorization: Basic <auth>',
      'Accept-Encoding: deflate, gzip',
      'Transfer-Encoding: chunked',
      'Content-Type: application/json',
      'Content-Length: <length>',
      'User-Agent: bfgminer/5.5.0',
      'X-Mining-Extensions: longpoll midstate rollntime submitold',
    ],
    frame: chunked,
    habit: 'closes',
  },
  {
    name: 'ckpool',
    head: [
      'POST / HTTP/1.1',
      'Authorization: Basic <auth>',
      `Host: 127.0.0.1:${node.port}`,
      'Content-type: application/json',
      'Content-Length: <length>',
    ],
    lineEnd: '\n',
    habit: 'keeps',
  },
  {
    name: 'p2pool',
    head: [
      'POST / HTTP/1.0',
      'Host: 127.0.0.1',
      'Content-Type: application/json',
      'Authorization: Basic <auth>',
      'Content-Length: <length>',
      'User-Agent: Twisted PageGetter',
    ],
    habit: 'closes',
  },
  {
    name: 'Sparrow (Java)',
    head: [
      'POST / HTTP/1.1',
      'Content-Type: application/json',
      'Authorization: Basic <auth>',
      'User-Agent: Java/22',
      `Host: 127.0.0.1:${node.port}`,
      'Accept: text/html, image/gif, image/jpeg, */*; q=0.2',
      'Connection: keep-alive',
      'Content-Length: <length>',
    ],
    habit: 'keeps',
  },
  {
    name: 'LND (Go)',
    head: [
      'POST / HTTP/1.1',
      `Host: 127.0.0.1:${node.port}`,
      'User-Agent: Go-http-client/1.1',
      'Content-Length: <length>',
      'Authorization: Basic <auth>',
      'Content-Type: application/json',
      'Accept-Encoding: gzip',
    ],
    habit: 'keeps',
  },
  {
    name: 'Eclair (Netty)',
    head: [
      'POST /wallet/eclair HTTP/1.1',
      'accept-encoding: gzip, deflate',
      'authorization: Basic <auth>',
      'content-type: application/json; charset=utf-8',
      'content-length: <length>',
      `host: 127.0.0.1:${node.port}`,
    ],
    habit: 'keeps',
  },
  {
    name: "Python's http.client",
    head: [
      'POST / HTTP/1.1',
      `Host: 127.0.0.1:${node.port}`,
      'Accept-Encoding: identity',
      'Content-Length: <length>',
      'User-Agent: AuthServiceProxy/0.1',
      'Authorization: Basic <auth>',
      'Content-type: application/json',
    ],
    habit: 'keeps',
  },
];

/** Bytes of one request of a client. */
function bytesOf({ head, lineEnd = '\r\n', frame = (body) => body }: Wire, body: string): string {
  const lines = head.map((line) => line.replace('<length>', String(body.length)).replace('<auth>', auth));
  return `${lines.join(lineEnd)}${lineEnd}${lineEnd}${frame(body)}`;
}

/** Calls that a front thread answers alone, calls for the node thread, and calls with long replies. The last call fails. */
const CALLS: readonly (readonly [method: string, params: readonly unknown[]])[] = [
  ['getblockcount', []],
  ['getblockhash', [1]],
  ['getmempoolinfo', []],
  ['help', ['getblocktemplate']],
  ['getblock', [await node.call('getblockhash', 2), 2]],
  ['getrawmempool', [true]],
  ['getblockhash', [9999]],
];

/** Sends all calls as this client would. @returns bodies in the order of the calls */
async function talk(wire: Wire, t: Test): Promise<RawReply[]> {
  const requests = CALLS.map(([method, params], id) => bytesOf(wire, JSON.stringify({ method, params, id })));
  const replies: RawReply[] = [];
  let socket = await RawSocket.open(node.port);
  if (wire.habit === 'ahead') socket.send(requests.join(''));
  for (const request of requests) {
    if (socket.ended) t.fail('the connection was closed');
    if (wire.habit !== 'ahead') socket.send(request);
    replies.push(await socket.reply());
    if (wire.habit !== 'closes') continue;
    await socket.closed();
    socket = await RawSocket.open(node.port);
  }
  socket.close();
  return replies;
}

for (const wire of CLIENTS)
  t.test(wire.name, async (t) => {
    const replies = await talk(wire, t);
    for (const [id, { statusLine, body }] of replies.entries()) {
      const [method, params] = CALLS[id]!;
      const reply = JSON.parse(body);
      t.equal(reply.id, id, 'in the order of the requests');
      if (id === CALLS.length - 1) {
        t.match(statusLine, / 500 /);
        t.equal(reply.error.code, -8);
      } else {
        t.match(statusLine, / 200 OK$/);
        t.same(reply.result, await node.call(method, ...params), method);
      }
    }
  });

t.test('makes each of several pipelined payments once', async (t) => {
  await node.call('createwallet', 'payer');
  await node.call('generatetoaddress', 101, await node.call('getnewaddress'));
  const wire = CLIENTS.find(({ name }) => name === 'Fulcrum')!;
  const socket = await RawSocket.open(node.port);
  const amounts = [0.1, 0.2, 0.3, 0.4];
  socket.send(amounts.map((amount) => bytesOf(wire, JSON.stringify({ method: 'sendtoaddress', params: [address, amount] }))).join(''));
  const ids: string[] = [];
  for (const _ of amounts) ids.push(JSON.parse((await socket.reply()).body).result);
  socket.close();
  t.same([...(await node.call('getrawmempool'))].sort(), [...new Set(ids)].sort());
  t.equal(new Set(ids).size, amounts.length);
});

t.test("Core Lightning's bcli: the command with its switches", async (t) => {
  const args = ['-regtest', '-rpcconnect=127.0.0.1', `-rpcport=${node.port}`, '-rpcuser=user', '-stdinrpcpass', '-stdin', '-rpcwait'];
  const child = spawn(process.execPath, [cliFile, ...args, '-rpcwaittimeout=60', 'getblockhash']);
  child.stdin.end('password\n1\n');
  let out = '';
  child.stdout.on('data', (bytes) => {
    out += bytes;
  });
  const code = await new Promise((resolve) => child.once('close', resolve));
  t.same([code, out.trim()], [0, await node.call('getblockhash', 1)]);
});

t.test("node's fetch, many at once and one after the other", async (t) => {
  const ask = async (id: number): Promise<number> => {
    const headers = { authorization: `Basic ${auth}` };
    const reply = await fetch(`http://127.0.0.1:${node.port}/`, {
      method: 'POST',
      headers,
      body: `{"method":"getblockchaininfo","id":${id}}`,
    });
    return ((await reply.json()) as { id: number }).id;
  };
  const ids = Array.from({ length: 40 }, (_, id) => id);
  t.same(await Promise.all(ids.map(ask)), ids);
  for (const id of ids) t.equal(await ask(id), id);
});

/** Returns false if the program is installed, otherwise the reason to skip. */
const lacks = (program: string, reason: string): string | false => spawnSync(program, ['--version']).status !== 0 && reason;

const PYTHON = `
import base64, http.client, json, sys, time
port, silence = int(sys.argv[1]), float(sys.argv[2])
headers = {"Authorization": "Basic " + base64.b64encode(b"user:password").decode(), "Content-Type": "application/json"}
connection = http.client.HTTPConnection("127.0.0.1", port)
local = None
for method in ("getblockcount", "getbestblockhash", "getblockcount"):
    if local is not None:
        time.sleep(silence)
    # What is missing is not made up for: HTTPConnection opens a new connection only when it is told to.
    connection.auto_open = local is None
    connection.request("POST", "/", json.dumps({"method": method, "id": 1}), headers)
    reply = connection.getresponse()
    assert reply.status == 200, reply.status
    json.loads(reply.read())
    name = connection.sock.getsockname()
    assert local in (None, name), "another connection"
    local = name
print("served")
`;

t.test("programs: Python's http.client on one connection", { skip: lacks('python3', 'needs python3') }, async (t) => {
  const done = spawnSync('python3', ['-c', PYTHON, String(node.port), nightly ? '20' : '0'], { encoding: 'utf8' });
  t.same([done.stdout.trim(), done.stderr], ['served', ''], 'silent for 20 s in the long run');
});

t.test('accepts chunked requests of curl that also have a Content-Length', { skip: lacks('curl', 'needs curl') }, async (t) => {
  const body = '{"method":"getblockcount","id":1}';
  const headers = ['-H', 'Transfer-Encoding: chunked', '-H', `Content-Length: ${body.length}`];
  for (const version of ['--http1.1', '--http1.0']) {
    const more = version === '--http1.1' ? headers : [];
    const url = `http://127.0.0.1:${node.port}/`;
    const done = spawnSync('curl', ['-sS', version, '-u', node.auth, ...more, '-d', body, url, url], { encoding: 'utf8' });
    const count = await node.call('getblockcount');
    t.equal(done.stdout, `{"result":${count},"error":null,"id":1}\n`.repeat(2), `${version} ${done.stderr}`);
  }
});

nightlyTest('silence on a connection of each kind', async (t) => {
  await Promise.all(
    CLIENTS.filter(({ habit }) => habit !== 'closes').map(async (wire) => {
      const socket = await RawSocket.open(node.port);
      for (let round = 0; round < 2; round++) {
        if (round > 0) await new Promise((resolve) => setTimeout(resolve, 25_000));
        socket.send(bytesOf(wire, '{"method":"getblockcount"}'));
        t.match((await socket.reply()).statusLine, / 200 OK$/, `${wire.name}, ${round === 0 ? 'at first' : 'after 25 s'}`);
      }
      socket.close();
    }),
  );
});

nightlyTest('an agent that keeps its connections, over minutes', async (t) => {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  t.teardown(() => agent.destroy());
  const ask = (): Promise<number> =>
    new Promise((resolve, reject) => {
      const headers = { authorization: `Basic ${auth}` };
      const asked = http.request({ agent, port: node.port, host: '127.0.0.1', method: 'POST', headers }, (reply) => {
        reply.resume().on('end', () => resolve(reply.statusCode ?? 0));
      });
      asked.on('error', reject);
      asked.end('{"method":"getblockcount"}');
    });
  for (const seconds of [0, 5, 12, 20, 27, 33, 45]) {
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
    t.equal(await ask(), 200, `after ${seconds} s of silence`);
  }
});
