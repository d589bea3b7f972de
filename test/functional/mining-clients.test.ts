// Sends requests of mining software, byte for byte as its source code writes them, to a real process: cpuminer,
// node-stratum-pool (NOMP), public-pool, BFGMiner, miningcore, DATUM, ckpool and p2pool.
import t from 'tap';
import { Daemon } from '../framework/daemon.js';
import { type Mined, mine, type Template } from '../framework/miner.js';
import { MiniWallet } from '../framework/mini-wallet.js';
import { freePort } from '../framework/ports.js';
import { type RawReply, RawSocket } from '../framework/raw-http.js';
import { metricBecomes } from '../framework/scrape.js';

// The option that existing configurations of ckpool and p2pool need.
const lenientPort = await freePort();
const metricsPort = await freePort();
const node = await Daemon.startFor(t, `-rpclenientport=${lenientPort}`, `-metricsport=${metricsPort}`);
const wallet = new MiniWallet();
const address = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080';
const basic = (): string => Buffer.from(node.auth).toString('base64');

/** Builds a block on the tip and does not submit it. */
async function nextBlock(): Promise<Mined> {
  return mine(await node.call('getblocktemplate', { rules: ['segwit'] }), 'p2wpkh', wallet.key());
}

/** Builds a request with this head. The text `<length>` in the head is replaced by the length of the body. */
const request = (head: readonly string[], body: string, lineEnd = '\r\n'): string =>
  `${head.map((line) => line.replace('<length>', String(Buffer.byteLength(body)))).join(lineEnd)}${lineEnd}${lineEnd}${body}`;

async function exchange(port: number, bytes: string): Promise<RawReply> {
  const socket = await RawSocket.open(port);
  try {
    socket.send(bytes);
    return await socket.reply();
  } finally {
    socket.close();
  }
}

t.test('serves cpuminer: templates, a long poll, a block', async (t) => {
  const head = [
    'POST / HTTP/1.1',
    `Host: 127.0.0.1:${node.port}`,
    `Authorization: Basic ${basic()}`,
    'Accept-Encoding: deflate, gzip',
    'Content-Type: application/json',
    'Content-Length: <length>',
    'User-Agent: cpuminer/2.5.1',
    'X-Mining-Extensions: midstate',
  ];
  const ask = (more: string): string =>
    request(
      head,
      `{"method": "getblocktemplate", "params": [{"capabilities": ["coinbasetxn", "coinbasevalue", "longpoll", "workid"], "rules": ["segwit"]${more}}], "id":0}\r\n`,
    );
  const socket = await RawSocket.open(node.port);
  t.teardown(() => socket.close());
  socket.send(ask(''));
  const first = await socket.reply();
  t.equal(first.statusLine, 'HTTP/1.1 200 OK');
  t.match(first.body, /^\{"result":\{"capabilities":\["proposal"\],.*\},"error":null,"id":0\}\n$/s);
  const template: Template = JSON.parse(first.body).result;
  t.type(template.coinbasevalue, 'number', 'always there, whatever was asked for');
  const poll = await RawSocket.open(node.port);
  t.teardown(() => poll.close());
  poll.send(ask(`, "longpollid": "${template.longpollid}"`));
  const block = mine(template, 'p2wpkh', wallet.key());
  socket.send(request(head, `{"method": "submitblock", "params": ["${block.hex}"], "id":1}\r\n`));
  t.equal((await socket.reply()).body, '{"result":null,"error":null,"id":1}\n', 'on the same connection');
  t.equal(JSON.parse((await poll.reply()).body).result.previousblockhash, block.hashHex, 'the poll brings work on it');
});

t.test('serves node-stratum-pool: a batch at the start, and a probe of submitblock', async (t) => {
  const id = 1_700_000_000_000;
  const calls: [string, unknown[]][] = [
    ['validateaddress', [address]],
    ['getdifficulty', []],
    ['getinfo', []],
    ['getmininginfo', []],
    ['submitblock', []],
  ];
  const body = JSON.stringify(calls.map(([method, params], i) => ({ method, params, id: id + i })));
  const head = [
    'POST / HTTP/1.1',
    'Content-Length: <length>',
    `Host: 127.0.0.1:${node.port}`,
    `Authorization: Basic ${basic()}`,
    'Connection: close',
  ];
  const reply = await exchange(node.port, request(head, body));
  t.equal(reply.statusLine, 'HTTP/1.1 200 OK');
  const results = JSON.parse(reply.body);
  t.same(
    results.map((one: { id: number }) => one.id),
    calls.map((_, i) => id + i),
    'in order',
  );
  t.equal(results[0].result.isvalid, true);
  t.type(results[1].result, 'number');
  t.same(results[2], { result: null, error: { code: -32601, message: 'Method not found' }, id: id + 2 });
  t.equal(results[3].result.chain, 'regtest');
  t.equal(results[4].error.code, -1, 'the method is there');
  const template = await exchange(
    node.port,
    request(
      head,
      JSON.stringify({
        method: 'getblocktemplate',
        params: [{ capabilities: ['coinbasetxn', 'workid', 'coinbase/append'], rules: ['segwit'] }],
        id,
      }),
    ),
  );
  t.equal(JSON.parse(template.body).error, null);
});

t.test('serves public-pool: named parameters', async (t) => {
  const head = [
    'POST / HTTP/1.1',
    'Accept: application/json, text/plain, */*',
    'Content-Type: application/json',
    `Authorization: Basic ${basic()}`,
    'User-Agent: axios/0.21.4',
    'Content-Length: <length>',
    `Host: 127.0.0.1:${node.port}`,
    'Connection: close',
  ];
  const call = async (method: string, params: unknown): Promise<{ result: unknown; error: unknown; id: unknown }> =>
    JSON.parse((await exchange(node.port, request(head, JSON.stringify({ jsonrpc: '1.0', id: 'rpc-bitcoin', method, params })))).body);
  const template = await call('getblocktemplate', {
    template_request: { rules: ['segwit'], mode: 'template', capabilities: ['serverlist', 'proposal'] },
  });
  t.same([template.error, template.id], [null, 'rpc-bitcoin']);
  t.equal(((await call('getmininginfo', {})).result as { chain: string }).chain, 'regtest');
  const block = await nextBlock();
  t.same(await call('submitblock', { hexdata: block.hex }), { result: null, error: null, id: 'rpc-bitcoin' });
  t.same((await call('submitblock', { hexdata: block.hex })).result, 'duplicate');
});

t.test('serves BFGMiner: an object as the second argument', async (t) => {
  const head = [
    'POST / HTTP/1.1',
    `Authorization: Basic ${basic()}`,
    `Host: 127.0.0.1:${node.port}`,
    'Accept-Encoding: deflate, gzip',
    'Content-Type: application/json',
    'Content-Length: <length>',
    'User-Agent: bfgminer/5.5.0',
  ];
  for (const options of ['{}', '{"workid":"w1"}']) {
    const block = await nextBlock();
    const reply = await exchange(node.port, request(head, `{"id": 0, "method": "submitblock", "params": ["${block.hex}",${options}]}`));
    t.equal(reply.body, '{"result":null,"error":null,"id":0}\n', options);
  }
});

t.test('serves miningcore: submission and lookup of the block in one batch', async (t) => {
  const block = await nextBlock();
  const body = JSON.stringify([
    { jsonrpc: '2.0', method: 'submitblock', params: [block.hex], id: 'a1' },
    { jsonrpc: '2.0', method: 'getblock', params: [block.hashHex], id: 'a2' },
  ]);
  const head = [
    'POST / HTTP/1.1',
    `Host: 127.0.0.1:${node.port}`,
    `Authorization: Basic ${basic()}`,
    'Accept: application/json',
    'Content-Type: application/json',
    'Content-Length: <length>',
  ];
  const reply = await exchange(node.port, request(head, body));
  t.equal(reply.statusLine, 'HTTP/1.1 200 OK');
  const [submitted, found] = JSON.parse(reply.body);
  t.same(submitted, { result: null, error: null, id: 'a1' });
  t.equal(found.id, 'a2');
  t.same([found.result.hash, found.result.confirmations, found.result.height], [block.hashHex, 1, block.height]);
});

t.test('serves DATUM: one connection for all calls, and a timeout of five seconds', async (t) => {
  const socket = await RawSocket.open(node.port);
  t.teardown(() => socket.close());
  const head = [
    'POST / HTTP/1.1',
    `Host: 127.0.0.1:${node.port}`,
    `Authorization: Basic ${basic()}`,
    'User-Agent: datum_gateway/0.3',
    'Accept: */*',
    'Connection: keep-alive',
    'Content-type: application/json',
    'Content-Length: <length>',
  ];
  const call = async (method: string, params: string): Promise<{ result: unknown; error: unknown; id: unknown }> => {
    socket.send(request(head, `{"jsonrpc":"1.0","id":"${Date.now()}","method":"${method}","params":${params}}`));
    return JSON.parse((await socket.reply()).body);
  };
  for (let i = 0; i < 10; i++) {
    t.equal((await call('getblocktemplate', '[{"rules":["segwit"]}]')).error, null);
    t.equal((await call('getbestblockhash', '[]')).result, await node.call('getbestblockhash'));
  }
  const block = await nextBlock();
  t.equal((await call('submitblock', `["${block.hex}"]`)).result, null);
  t.notOk(socket.ended);
});

/** ckpool's connector.c ends its lines with a line feed alone. */
const ckpool = (body: string, auth = basic()): string =>
  request(
    [
      'POST / HTTP/1.1',
      `Authorization: Basic ${auth}`,
      `Host: 127.0.0.1:${lenientPort}`,
      'Content-type: application/json',
      'Content-Length: <length>',
    ],
    body,
    '\n',
  );

t.test('serves ckpool on the port of -rpclenientport', async (t) => {
  const socket = await RawSocket.open(lenientPort);
  t.teardown(() => socket.close());
  const call = async (body: string): Promise<unknown> => {
    socket.send(ckpool(`${body}\n`));
    const reply = await socket.reply();
    t.equal(reply.statusLine, 'HTTP/1.1 200 OK', 'exactly this line');
    t.match(reply.body, /^\{[^\n]*\}\n$/, 'one line of JSON, ended');
    const parsed = JSON.parse(reply.body);
    t.equal(parsed.id, null, 'a request without id is answered');
    t.equal(parsed.error, null);
    return parsed.result;
  };
  t.equal(((await call(`{"method": "validateaddress", "params": ["${address}"]}`)) as { isvalid: boolean }).isvalid, true);
  const template = (await call(
    '{"method": "getblocktemplate", "params": [{"capabilities": ["coinbasetxn", "workid", "coinbase/append"], "rules" : ["segwit"]}]}',
  )) as Template;
  t.equal(await call('{"method": "getblockcount"}'), template.height - 1);
  t.equal(await call('{"method": "getbestblockhash"}'), template.previousblockhash);
  t.equal(await call(`{"method": "getblockhash", "params": [${template.height - 1}]}`), template.previousblockhash);
  const block = mine(template, 'p2wpkh', wallet.key());
  t.equal(await call(`{"method": "submitblock", "params": ["${block.hex}"]}`), null);
  t.equal(await node.call('getbestblockhash'), block.hashHex);
  t.notOk(socket.ended, 'all on one connection');
});

t.test('serves p2pool: HTTP/1.0', async (t) => {
  const body = '{"jsonrpc": "2.0", "method": "getblocktemplate", "params": [{"mode": "template", "rules": ["segwit"]}], "id": 0}';
  const socket = await RawSocket.open(node.port);
  socket.send(
    request(
      [
        'POST / HTTP/1.0',
        `Host: 127.0.0.1`,
        'Content-Type: application/json',
        `Authorization: Basic ${basic()}`,
        'Content-Length: <length>',
        'User-Agent: Twisted PageGetter',
      ],
      body,
    ),
  );
  const reply = await socket.reply();
  t.match(reply.statusLine, /^HTTP\/1\.[01] 200 OK$/);
  t.equal(JSON.parse(reply.body).result.previousblockhash, await node.call('getbestblockhash'));
  await socket.closed();
  t.ok(socket.ended, 'an HTTP/1.0 connection ends with its reply');
});

t.test('serves clients that send lenient HTTP', async (t) => {
  const count = '{"method":"getblockcount","id":7}';
  const height: number = await node.call('getblockcount');
  const expected = `{"result":${height},"error":null,"id":7}\n`;
  t.equal(
    (await exchange(node.port, request(['POST / HTTP/1.1', `Authorization: Basic ${basic()}`, 'Content-Length: <length>'], count))).body,
    expected,
    'no Host',
  );
  const socket = await RawSocket.open(node.port);
  t.teardown(() => socket.close());
  const ids = [1, 2, 3, 4, 5];
  socket.send(ids.map((id) => ckpool(`{"method":"getblockcount","id":${id}}`)).join(''));
  for (const id of ids) t.equal((await socket.reply()).body, `{"result":${height},"error":null,"id":${id}}\n`, 'pipelined, in order');

  const wrong = await exchange(node.port, ckpool(count, Buffer.from('a:b').toString('base64')));
  t.equal(wrong.statusLine, 'HTTP/1.1 401 Unauthorized');
  t.equal(wrong.headers.get('www-authenticate'), 'Basic realm="jsonrpc"');
  const get = await exchange(node.port, 'GET / HTTP/1.1\nHost: x\n\n');
  t.match(get.statusLine, /^HTTP\/1\.1 405 /);
  const unknown = await exchange(node.port, ckpool('{"method":"nosuch","id":1}'));
  t.match(unknown.statusLine, /^HTTP\/1\.1 404 /, 'statuses are the ordinary port’s');
  t.equal(unknown.body, '{"result":null,"error":{"code":-32601,"message":"Method not found"},"id":1}\n');

  t.comment('a long poll waits and wakes, also after another client has left');
  const template: Template = await node.call('getblocktemplate', { rules: ['segwit'] });
  const ask = ckpool(`{"method":"getblocktemplate","params":[{"rules":["segwit"],"longpollid":"${template.longpollid}"}],"id":1}`);
  const leaver = await RawSocket.open(node.port);
  leaver.send(ask);
  const poll = await RawSocket.open(node.port);
  t.teardown(() => poll.close());
  poll.send(ask);
  await node.call('getblockcount');
  leaver.close();
  const block = mine(template, 'p2wpkh', wallet.key());
  socket.send(ckpool(`{"method":"submitblock","params":["${block.hex}"]}`));
  t.equal((await socket.reply()).body, '{"result":null,"error":null,"id":null}\n');
  t.equal(JSON.parse((await poll.reply()).body).result.previousblockhash, block.hashHex);
});

t.test('stops cleanly while clients are connected', async (t) => {
  const template: Template = await node.call('getblocktemplate', { rules: ['segwit'] });
  const poll = await RawSocket.open(node.port);
  t.teardown(() => poll.close());
  poll.send(ckpool(`{"method":"getblocktemplate","params":[{"rules":["segwit"],"longpollid":"${template.longpollid}"}],"id":1}`));
  await metricBecomes(metricsPort, 'adit_longpoll_waiters', 1);
  const answer = poll.reply().catch((error: Error) => error);
  t.same(await node.stop(), { code: 0, signal: null });
  const last = await answer;
  t.notOk(last instanceof Error, String(last));
  t.equal(JSON.parse((last as RawReply).body).error.code, -9, 'told that the node is shutting down');
});
