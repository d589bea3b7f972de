import { createHmac } from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';
import workerThreads, { MessagePort } from 'node:worker_threads';
import t from 'tap';
import type { TakenBlock } from '../../../src/link/messages.js';
import { until } from '../../framework/until.js';
import { Client, FakeNode } from './support.js';

const ok = (text: string) => ({ status: 200, body: `{"result":${text},"error":null,"id":1}\n` });

/** Calls that are answered when the test says so. */
function heldCalls() {
  const signals: AbortSignal[] = [];
  const release: (() => void)[] = [];
  const answer = (_body: unknown, call: { signal: AbortSignal }): Promise<ReturnType<typeof ok>> => {
    signals.push(call.signal);
    return new Promise((resolve) => release.push(() => resolve(ok('1'))));
  };
  return { signals, release, answer };
}

t.test("replies with Core's statuses, headers and bytes", async (t) => {
  const node = new FakeNode();
  const seen: { user: string; uri: string; body: string; block: TakenBlock | null }[] = [];
  await node.start((body, call) => {
    const text = Buffer.from(body).toString();
    seen.push({ user: call.user, uri: call.uri, body: text, block: call.block });
    if (text.includes('"big"')) return { status: 200, body: 'x'.repeat(3_000_000) };
    if (text.includes('"bytes"')) return { status: 200, body: new Uint8Array(700_000).fill(0x79) };
    return Promise.resolve(ok('"node"'));
  });
  t.teardown(() => node.fronts.close());
  const once = async (text: string) => {
    const client = new Client(node.port);
    client.send(text);
    const reply = await client.reply();
    client.destroy();
    return reply;
  };
  const head = (status: string, length: number, type: string) =>
    new RegExp(`^HTTP/1\\.1 ${status}\\r\\nContent-Type: ${type}\\r\\nDate: [^\\r]+ GMT\\r\\nContent-Length: ${length}$`);
  /** Matches the head of a reply with the default content type. */
  const plain = (status: string, length: number) =>
    new RegExp(
      `^HTTP/1\\.1 ${status}\\r\\nDate: [^\\r]+ GMT\\r\\nContent-Length: ${length}\\r\\nContent-Type: text/html; charset=ISO-8859-1$`,
    );

  await t.test('answers simple calls on the front thread', async (t) => {
    const client = new Client(node.port);
    const body = `{"result":"${'0'.repeat(64)}","error":null,"id":1.50}\n`;
    const reply = await client.call('{"method":"getbestblockhash","params":[],"id":1.50}');
    t.match(reply.head, head('200 OK', body.length, 'application/json'));
    t.equal(reply.body.toString(), body);
    t.equal(seen.length, 0);
    // Requests and replies of Core 0.21 in bytes, on one connection.
    const vectors: [request: string, status: number, body: string][] = [
      ['{"method":"nope","id":"a"}', 404, '{"result":null,"error":{"code":-32601,"message":"Method not found"},"id":"a"}\n'],
      ['{"id":7}', 400, '{"result":null,"error":{"code":-32600,"message":"Missing method"},"id":7}\n'],
      ['junk', 500, '{"result":null,"error":{"code":-32700,"message":"Parse error"},"id":null}\n'],
      ['', 500, '{"result":null,"error":{"code":-32700,"message":"Parse error"},"id":null}\n'],
      ['"str"', 500, '{"result":null,"error":{"code":-32700,"message":"Top-level object parse error"},"id":null}\n'],
      ['[]', 200, '[]\n'],
      [
        '{"method":"echo","params":[1.0,1e3,12345678901234567890,"\\u00e9\\u0001/\\u007f",{"b":1,"a":2,"b":3}],"id":"x","id":"y"}',
        200,
        '{"result":[1.0,1e3,12345678901234567890,"é\\u0001/\\u007f",{"b":1,"a":2,"b":3}],"error":null,"id":"x"}\n',
      ],
    ];
    for (const [request, status, expected] of vectors) {
      const got = await client.call(request);
      t.equal(got.status, status, request);
      t.equal(got.body.toString(), expected, request);
    }
    const silent = await client.call('{"jsonrpc":"2.0","method":"nope"}');
    t.equal(silent.status, 404, 'the member means nothing');
    t.equal(silent.body.toString(), '{"result":null,"error":{"code":-32601,"message":"Method not found"},"id":null}\n');
    client.destroy();
  });

  await t.test("answers wrong paths and methods with Core's status lines and pages", async (t) => {
    for (const target of ['/foo', '/?x=1', '/wallet', '//']) {
      const reply = await once(`POST ${target} HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n`);
      t.match(reply.head.replace('Cache-Control: no-store\r\n', ''), plain('404 Not Found', 0), target);
      t.match(reply.head, /^HTTP\/1\.1 404 Not Found\r\nCache-Control: no-store\r\n/, 'as Core since its master of 2026');
    }
    for (const method of ['GET', 'PUT']) {
      const reply = await once(`${method} / HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n`);
      t.match(reply.head, plain('405 Method Not Allowed', 41), method);
      t.equal(reply.body.toString(), 'JSONRPC server handles only POST requests');
    }
    t.equal((await once('DELETE / HTTP/1.1\r\nHost: x\r\n\r\n')).status, 405);
    const options = await once('OPTIONS / HTTP/1.1\r\nHost: x\r\n\r\n');
    t.match(options.head, /^HTTP\/1\.1 501 Not Implemented\r\nContent-Type: text\/html\r\nConnection: close\r\nDate: /);
    t.equal(
      options.body.toString(),
      '<HTML><HEAD>\n<TITLE>501 Not Implemented</TITLE>\n</HEAD><BODY>\n<H1>Not Implemented</H1>\n</BODY></HTML>\n',
    );
    const headReply = new Client(node.port);
    headReply.send('HEAD / HTTP/1.1\r\nHost: x\r\n\r\n');
    await until('headers', () => headReply.receivedBytes > 0);
    await new Promise((resolve) => setTimeout(resolve, 30));
    headReply.destroy();
    t.ok(headReply.receivedBytes < 250, 'headers only');
  });

  await t.test('handles Connection: close, chunked bodies, and Expect: 100-continue', async (t) => {
    const client = new Client(node.port);
    const reply = await client.call('{"method":"getblockcount","id":1}', 'Connection: close\r\n');
    t.match(reply.head, /\r\nConnection: close$/);
    await client.ended();
    const chunked = new Client(node.port);
    chunked.send(`POST / HTTP/1.1\r\nHost: x\r\nAuthorization: Basic dXNlcjpwYXNz\r\nTransfer-Encoding: chunked\r\n\r\n`);
    for (const part of ['{"method":"get', 'blockcount","id":2}']) {
      chunked.send(`${part.length.toString(16)}\r\n${part}\r\n`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    chunked.send('0\r\n\r\n');
    t.equal((await chunked.reply()).body.toString(), '{"result":0,"error":null,"id":2}\n');
    chunked.send('POST / HTTP/1.1\r\nHost: x\r\nAuthorization: Basic dXNlcjpwYXNz\r\nExpect: 100-continue\r\nContent-Length: 33\r\n\r\n');
    t.equal((await chunked.reply()).head, 'HTTP/1.1 100 Continue');
    chunked.send('{"method":"getblockcount","id":1}');
    t.equal((await chunked.reply()).status, 200);
    chunked.destroy();
  });

  await t.test('passes other calls to the node thread, and decodes submitted blocks', async (t) => {
    const client = new Client(node.port);
    const request = '{"method":"getblockchaininfo","id":1}';
    t.same((await client.call(request, '', '/wallet/a%20b')).body.toString(), '{"result":"node","error":null,"id":1}\n');
    t.same(seen.at(-1), { user: 'user', uri: '/wallet/a%20b', body: request, block: null });
    const big = await client.call('{"method":"getblockchaininfo","id":"big"}');
    t.equal(big.body.length, 3_000_000);
    t.ok(big.body.equals(Buffer.alloc(3_000_000, 'x')));
    const bytes = await client.call('{"method":"getblockchaininfo","id":"bytes"}');
    t.ok(bytes.body.equals(Buffer.alloc(700_000, 'y')));
    const long = `{"method":"sendrawtransaction","params":["${'ab'.repeat(900_000)}"],"id":1}`;
    t.equal((await client.call(long)).status, 200);
    t.equal(seen.at(-1)?.body, long);
    const block = `{"method":"submitblock","params":["${'cd'.repeat(1_000_000)}"],"id":1}`;
    t.equal((await client.call(block)).status, 200);
    const { token, bytes: decoded } = seen.at(-1)?.block ?? { token: '', bytes: [] };
    t.equal(seen.at(-1)?.body, `{"method":"submitblock","params":["${token}"],"id":1}`, 'the node thread reads no megabytes of hex');
    t.ok(Buffer.from(decoded).equals(Buffer.alloc(1_000_000, 0xcd)), 'and gets the bytes');
    t.equal(node.fronts.stats().link.prioritised, 1);
    // A value that is not a block, where a block is expected, is passed on unchanged.
    const hex = 'cd'.repeat(100_000);
    for (const other of [
      `{"method":"submitblock","params":["${hex}c"],"id":1}`,
      `{"method":"submitblock","params":["${hex}xy"],"id":1}`,
      `{"method":"submitblock","params":["${hex}\u0430\u0430"],"id":1}`,
      `{"method":"submitblock","params":["\\"${hex}"],"id":1}`,
      `{"method":"submitblock","params":["00",{"workid":"${hex}"}],"id":1}`,
      `{"method":"submitblock","params":["${hex}"],"params":["00"],"id":1}`,
      `[{"method":"submitblock","params":["${hex}"],"id":1}]`,
      `{"method":"submitblock","params":["${hex}","","",""],"id":1}`,
    ]) {
      await client.call(other);
      const { body, block: taken } = seen.at(-1)!;
      const ending = `${other.slice(0, 40)} ... ${other.slice(-20)}`;
      // If two members have the same name, the parser decides which one counts. So the block may have been taken out of
      // the text.
      if (taken !== null) t.equal(body.replace(taken.token, Buffer.from(taken.bytes).toString('hex')), other, ending);
      else t.equal(body, other, ending);
    }
    const cut = await client.call(`{"method":"submitblock","params":["${hex}"],"id":1`);
    t.match(cut.body.toString(), /"Parse error"/, 'the front answers what is not JSON');
    // A front thread does not parse long data together with a block.
    const much = '"",'.repeat(30_000);
    for (const other of [`["${hex}",[${much}0]]`, `["${hex}","${'cd'.repeat(50_000)}"]`, `{"dummy":[${much}0],"hexdata":"${hex}"}`]) {
      await client.call(`{"method":"submitblock","params":${other},"id":1}`);
      t.equal(seen.at(-1)?.block, null, `${other.slice(0, 20)} ... ${other.slice(-20)}`);
    }
    const named = `{"method":"submitblock","params":{"hexdata":"${hex.toUpperCase()}"},"id":1}`;
    await client.call(named);
    t.equal(seen.at(-1)?.block?.bytes.length, 100_000, 'by name');
    client.destroy();
  });

  await t.test('rejects bodies that are too large and malformed requests, and serves later clients', async (t) => {
    const declared = new Client(node.port);
    declared.send('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 33554433\r\n\r\n');
    const reply = await declared.reply();
    t.match(reply.head, /^HTTP\/1\.1 413 Request Entity Too Large\r\nContent-Type: text\/html\r\nConnection: close\r\n/);
    t.match(reply.body.toString(), '<H1>Request Entity Too Large</H1>');
    await declared.ended();
    for (const bytes of [
      '\x00\x01\x02\x03\r\n\r\n',
      'POST\r\n\r\n',
      'POST / HTTP/9.9\r\nHost: x\r\n\r\n',
      `GET / HTTP/1.1\r\nHost: x\r\nA: ${'b'.repeat(20_000)}\r\n\r\n`,
    ]) {
      const client = new Client(node.port);
      client.send(Buffer.from(bytes, 'latin1'));
      await new Promise((resolve) => setTimeout(resolve, 20));
      client.destroy();
    }
    const after = new Client(node.port);
    t.equal((await after.call('{"method":"getblockcount","id":1}')).status, 200);
    after.destroy();
  });

  await t.test('waits for a slow body without delaying other clients', async (t) => {
    const slow = new Client(node.port);
    const body = '{"method":"getblockcount","id":5}';
    slow.send(`POST / HTTP/1.1\r\nHost: x\r\nAuthorization: Basic dXNlcjpwYXNz\r\nContent-Length: ${body.length}\r\n\r\n`);
    for (const char of body.slice(0, 20)) {
      slow.send(char);
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    const other = new Client(node.port);
    t.equal((await other.call('{"method":"getblockcount","id":1}')).status, 200, 'others are not held up');
    slow.send(body.slice(20));
    t.equal((await slow.reply()).body.toString(), '{"result":0,"error":null,"id":5}\n');
    slow.destroy();
    other.destroy();
  });
});

t.test('enforces credentials and -rpcwhitelist, and delays wrong passwords', async (t) => {
  const hash = createHmac('sha256', 'salt').update('pa:ss').digest('hex');
  const node = new FakeNode();
  await node.start(() => ok('1'), {
    credentials: { plain: ['__cookie__:abc'], hashed: [{ user: 'bob', salt: 'salt', hashHex: hash }] },
    whitelist: { users: new Map([['bob', ['uptime']]]), refuseOthers: false },
    fronts: 1,
  });
  t.teardown(() => node.fronts.close());
  const post = (credentials: string | null, body: string) => {
    const client = new Client(node.port);
    const header = credentials === null ? '' : `Authorization: ${credentials}\r\n`;
    client.send(`POST / HTTP/1.1\r\nHost: x\r\n${header}Content-Length: ${body.length}\r\n\r\n${body}`);
    return client.reply().finally(() => client.destroy());
  };
  const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;
  const uptime = '{"method":"uptime","id":1}';
  t.equal((await post(basic('__cookie__:abc'), uptime)).status, 200);
  t.equal((await post(basic('bob:pa:ss'), uptime)).status, 200, 'a password may hold colons');

  const missing = await post(null, uptime);
  t.match(
    missing.head,
    /^HTTP\/1\.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm="jsonrpc"\r\nDate: [^\r]+\r\nContent-Length: 0\r\nContent-Type: text\/html; charset=ISO-8859-1$/,
  );

  // A wrong password is answered after a delay by a timer, so calls made meanwhile are answered first. If the machine
  // stalls for that long, the test tries again.
  let overtaken = false;
  for (let tries = 0; tries < 5 && !overtaken; tries++) {
    let wrongIsBack = false;
    const wrong = post(basic('bob:nope'), uptime).then((reply) => {
      wrongIsBack = true;
      return reply;
    });
    await until('the attempt is in the log', () => node.log.filter((line) => line.includes('incorrect password')).length > tries);
    t.equal((await post(basic('__cookie__:abc'), uptime)).status, 200);
    overtaken = !wrongIsBack;
    t.equal((await wrong).status, 401);
  }
  t.ok(overtaken, 'the delay held nothing else');
  for (const header of ['basic dXNlcjpwYXNz', 'Bearer x', basic('bob')]) t.equal((await post(header, uptime)).status, 401, header);

  t.equal((await post(basic('bob:pa:ss'), '{"method":"getblockcount","id":1}')).status, 403);
  t.equal((await post(basic('bob:pa:ss'), `[${uptime},{"method":"stop"}]`)).status, 403);
  t.equal((await post(basic('bob:pa:ss'), `{"method":"echo","params":["${'x'.repeat(100_000)}"]}`)).status, 403, 'large bodies too');
  const large = `"more":[${'"x",'.repeat(500_000)}1]`;
  const read = await Promise.all([post(basic('bob:pa:ss'), `{"method":"uptime","id":7,${large}}`), post(basic('bob:pa:ss'), uptime)]);
  t.equal(read[0].body.toString(), '{"result":1,"error":null,"id":1}\n', 'read here, answered by the node thread');
  t.equal(read[1].status, 200);
  t.match((await post(basic('bob:pa:ss'), `{"method":"uptime","id":7,${large}`)).body.toString(), /Parse error/);
  t.equal((await post(basic('bob:pa:ss'), `{"method":"stop",${large}}`)).status, 403);
  const noMethod = await post(basic('bob:pa:ss'), '[{"id":1}]');
  t.equal(noMethod.status, 500);
  t.equal(
    noMethod.body.toString(),
    '{"result":null,"error":{"code":-32700,"message":"JSON value is not a string as expected"},"id":null}\n',
  );
  t.equal((await post(basic('bob:pa:ss'), '[3]')).status, 400);
});

t.test('rejects calls beyond -rpcworkqueue, and removes calls of clients that left', async (t) => {
  const node = new FakeNode();
  const { signals, release, answer } = heldCalls();
  await node.start(answer, { fronts: 1, workQueue: 2 });
  t.teardown(() => node.fronts.close());
  const request = '{"method":"getblockchaininfo","id":1}';
  const clients = [new Client(node.port), new Client(node.port)];
  for (const client of clients) client.post(request);
  await until('both are running', () => signals.length === 2);
  const third = new Client(node.port);
  const refused = await third.call(request);
  t.equal(refused.status, 503);
  t.match(refused.head, 'Cache-Control: no-store');
  t.equal(refused.body.toString(), 'Work queue depth exceeded');
  t.match(refused.head, 'Content-Type: text/html; charset=ISO-8859-1');
  t.equal((await third.call('{"method":"getblockcount","id":1}')).status, 200, 'what a front answers alone needs no queue');
  clients[0]!.reset();
  await until('the node is told', () => signals.some((signal) => signal.aborted));
  const again = third.call(request);
  await until('there is room again', () => signals.length === 3);
  for (const done of release) done();
  t.equal((await again).status, 200);
  t.equal((await clients[1]!.reply()).status, 200);
  t.equal(node.fronts.stats().fronts[0]!.refusedQueueFull, 1);
  clients[1]!.destroy();
  third.destroy();
});

t.test('sends large replies to several clients completely from one front', async (t) => {
  const node = new FakeNode();
  const bytes = 20_000_000;
  await node.start(() => ({ status: 200, body: new Uint8Array(bytes).fill(0x79) }), { fronts: 1 });
  t.teardown(() => node.fronts.close());
  const clients = Array.from({ length: 4 }, () => new Client(node.port));
  for (const client of clients) client.post('{"method":"getrawmempool","id":1}');
  await until('all of it', () => clients.every((client) => client.receivedBytes > bytes || client.closed));
  for (const client of clients) t.equal(client.closed, false, `${client.receivedBytes} bytes`);
  t.equal(node.fronts.stats().fronts[0]!.readersCutOff, 0);
  for (const client of clients) client.destroy();
});

t.test('logs why it refuses a client, once for each cause', async (t) => {
  const node = new FakeNode();
  await node.start(() => ok('1'), { fronts: 1 });
  t.teardown(() => node.fronts.close());
  const lines = () => node.log.filter((line) => line.includes('Refused an HTTP client'));
  const refused = async (bytes: string): Promise<string> => {
    const socket = net.connect(node.port, '127.0.0.1');
    socket.write(bytes);
    let got = '';
    for await (const piece of socket) got += piece;
    return got.split('\r\n')[0]!;
  };
  for (let i = 0; i < 3; i++) {
    t.equal(await refused('POST / HTTP/2.0\r\n\r\n'), 'HTTP/1.1 400 Bad Request');
    t.equal(await refused('POST / HTTP/1.1\r\nHost\r\n\r\n'), 'HTTP/1.1 400 Bad Request');
    t.equal(await refused('POST / HTTP/1.1\r\nContent-Length: 33554433\r\n\r\n'), 'HTTP/1.1 413 Request Entity Too Large');
  }
  t.same(lines(), [
    'warn Refused an HTTP client at 127.0.0.1: a version other than HTTP/1.x. Further refusals with this cause are not logged.',
    'warn Refused an HTTP client at 127.0.0.1: a header line without a colon. Further refusals with this cause are not logged.',
    'warn Refused an HTTP client at 127.0.0.1: a body of more than 33554432 bytes. Further refusals with this cause are not logged.',
  ]);
  const ordinary = new Client(node.port);
  t.equal((await ordinary.call('{"method":"getblockcount"}')).status, 200);
  ordinary.destroy();
  await until('it has gone', () => node.fronts.stats().fronts[0]!.connectionsOpen === 0);
  t.equal(node.fronts.stats().fronts[0]!.exchangesOpen, 0);
});

t.test('submits a block even if its client has disconnected', async (t) => {
  const node = new FakeNode();
  const { signals, release, answer } = heldCalls();
  await node.start(answer, { fronts: 1 });
  t.teardown(() => node.fronts.close());
  for (const [i, method] of ['submitblock', 'submitheader', 'getblockchaininfo'].entries()) {
    const client = new Client(node.port);
    client.post(`{"method":"${method}","params":["00"]}`);
    await until('it is running', () => signals.length === i + 1);
    client.reset();
    await until('the front knows', () => node.fronts.stats().fronts[0]!.exchangesOpen === 0);
  }
  await until('the node is told', () => signals[2]!.aborted);
  t.same(
    signals.map(({ aborted }) => aborted),
    [false, false, true],
  );
  t.equal(node.fronts.stats().fronts[0]!.callsOnNode, 2, 'they count until they are done');
  for (const done of release) done();
  await until('nothing is under way', () => node.fronts.stats().fronts[0]!.callsOnNode === 0);
});

t.test('submits a large block of a whitelisted user even if its client disconnects during parsing', async (t) => {
  const hash = createHmac('sha256', 'salt').update('pa').digest('hex');
  const node = new FakeNode();
  const bodies: string[] = [];
  await node.start(
    (body, { block }) => {
      const text = Buffer.from(body).toString();
      bodies.push(block === null ? text : text.replace(block.token, Buffer.from(block.bytes).toString('hex')));
      return ok('null');
    },
    {
      credentials: { plain: [], hashed: [{ user: 'bob', salt: 'salt', hashHex: hash }] },
      whitelist: { users: new Map([['bob', ['submitblock', 'getblockcount']]]), refuseOthers: false },
      fronts: 1,
    },
  );
  t.teardown(() => node.fronts.close());
  const header = `Authorization: Basic ${Buffer.from('bob:pa').toString('base64')}\r\n`;
  const send = (body: string): Client => {
    const client = new Client(node.port);
    client.send(`POST / HTTP/1.1\r\nHost: x\r\n${header}Content-Length: ${body.length}\r\n\r\n${body}`);
    return client;
  };
  // Lists keep the reader of the front busy for many event-loop ticks.
  const list = `[${Array(300_000).fill('[]').join(',')}]`;
  const busy = Array.from({ length: 4 }, () => send(`{"method":"getblockcount","params":${list}}`));
  const block = `{"method":"submitblock","params":["${'00'.repeat(200_000)}"]}`;
  const leavers = [block, `{"method":"getblockcount","params":["submitblock",${list}]}`].map(send);
  for (const client of leavers) {
    await until('the last byte is there', () => client.delivered);
    client.reset();
  }
  await until('the block is there', () => bodies.includes(block));
  await until('the connections of both clients are closed', () => node.fronts.stats().fronts[0]!.connectionsOpen <= busy.length);
  for (const client of busy) client.destroy();
});

t.test('passes large bodies that hold private keys by message port, not by shared memory', async (t) => {
  const node = new FakeNode();
  await node.start(() => ok('1'), { fronts: 1 });
  t.teardown(() => node.fronts.close());
  const client = new Client(node.port);
  for (const [method, prioritised] of [
    ['getblock', 0],
    ['importprivkey', 1],
  ] as const) {
    const { status } = await client.call(`{"method":"${method}","params":["x"],"more":"${'x'.repeat(200_000)}"}`);
    t.same([status, node.fronts.stats().link.prioritised], [200, prioritised], method);
  }
  client.destroy();
});

t.test('limits the bytes of request bodies that are being received', async (t) => {
  const node = new FakeNode();
  await node.start(() => ok('1'), { fronts: 1, bodyLimit: 100_000 });
  t.teardown(() => node.fronts.close());
  const chunked = `POST / HTTP/1.1\r\nHost: x\r\nAuthorization: Basic dXNlcjpwYXNz\r\nTransfer-Encoding: chunked\r\n\r\n`;
  const piece = (size: number) => `${size.toString(16)}\r\n${' '.repeat(size)}\r\n`;
  const large = new Client(node.port);
  large.send(chunked);
  for (let i = 0; i < 11; i++) large.send(piece(10_000));
  t.equal((await large.reply()).status, 413, 'counted as they come when no length is declared');
  await large.ended();
  const half = Array.from({ length: 12 }, () => new Client(node.port));
  for (const client of half) {
    client.send(chunked);
    client.send(piece(60_000));
    await new Promise((resolve) => setTimeout(resolve, 5));
    client.send(piece(10_000));
  }
  await until('one is refused', () => node.fronts.stats().fronts[0]!.refusedQueueFull > 0);
  for (const client of half) client.destroy();
  await until('all is given back', () => node.fronts.stats().fronts[0]!.exchangesOpen === 0);
  const after = new Client(node.port);
  after.send(chunked);
  after.send(piece(60_000));
  after.send('21\r\n{"method":"getblockcount","id":1}\r\n0\r\n\r\n');
  t.equal((await after.reply()).body.toString(), '{"result":0,"error":null,"id":1}\n');
  after.destroy();
});

t.test('reserves body bytes for users who may submit blocks', async (t) => {
  const node = new FakeNode();
  const whitelist = { users: new Map([['bob', ['getblockcount']]]), refuseOthers: false };
  const hashHex = createHmac('sha256', 'salt').update('pass').digest('hex');
  const credentials = { plain: ['user:pass'], hashed: [{ user: 'bob', salt: 'salt', hashHex }] };
  await node.start(() => ok('1'), { fronts: 1, bodyLimit: 100_000, whitelist, credentials });
  t.teardown(() => node.fronts.close());
  const begin = async (user: string): Promise<Client> => {
    const client = new Client(node.port);
    const credentials = Buffer.from(`${user}:pass`).toString('base64');
    client.send(`POST / HTTP/1.1\r\nHost: x\r\nAuthorization: Basic ${credentials}\r\nContent-Length: 90000\r\n\r\n`);
    client.send(' '.repeat(60_000));
    await new Promise((resolve) => setTimeout(resolve, 5));
    return client;
  };
  const { refusedQueueFull } = node.fronts.stats().fronts[0]!;
  const others = await Promise.all(Array.from({ length: 8 }, () => begin('bob')));
  await until('there is no room for all of them', () => node.fronts.stats().fronts[0]!.refusedQueueFull > refusedQueueFull);
  const miner = await begin('user');
  const block = '{"method":"submitblock","params":["00"],"id":1}';
  miner.send(block + ' '.repeat(30_000 - block.length));
  t.equal((await miner.reply()).status, 200);
  for (const client of [...others, miner]) client.destroy();
});

t.test('runs block submissions before queued calls', async (t) => {
  const node = new FakeNode();
  const order: string[] = [];
  await node.start(
    (body) => {
      const text = Buffer.from(body).toString();
      order.push(text.includes('submitblock') ? 'submit' : 'work');
      const end = performance.now() + (text.includes('submitblock') ? 0 : 8);
      while (performance.now() < end);
      return ok('1');
    },
    { fronts: 2 },
  );
  t.teardown(() => node.fronts.close());
  const clients = Array.from({ length: 40 }, () => new Client(node.port));
  const submitter = new Client(node.port);
  await submitter.call('{"method":"getblockcount","id":1}');
  // If the machine is busy, the front may receive the submission only after the work is done. Then the test makes
  // another round.
  const places: number[] = [];
  while (places.length < 30 && !places.some((place) => place < 38)) {
    order.length = 0;
    const replies = clients.map((client) => client.call('{"method":"getblockchaininfo","id":1}'));
    await until('work has begun', () => order.length > 0);
    t.equal((await submitter.call('{"method":"submitblock","params":["00"],"id":1}')).status, 200);
    places.push(order.indexOf('submit'));
    await Promise.all(replies);
    t.equal(order.length, 41);
  }
  t.ok(Math.min(...places) < 38, `its place among 41: ${places.join(', ')}`);
  for (const client of [...clients, submitter]) client.destroy();
});

t.test('gives all clients to the other fronts when a front ends', async (t) => {
  const { Worker } = workerThreads;
  const workers: InstanceType<typeof Worker>[] = [];
  workerThreads.Worker = class extends Worker {
    constructor(...given: ConstructorParameters<typeof Worker>) {
      super(...given);
      workers.push(this);
    }
  };
  syncBuiltinESMExports();
  t.teardown(() => {
    workerThreads.Worker = Worker;
    syncBuiltinESMExports();
  });
  const node = new FakeNode();
  await node.start(() => ok('1'), { fronts: 3 });
  t.teardown(() => node.fronts.close());
  await workers[1]!.terminate();
  await until('the log says so', () => node.log.some((line) => line.includes('Front 1 ended unexpectedly')));
  const served = async (): Promise<boolean[]> => {
    const clients = Array.from({ length: 6 }, () => new Client(node.port));
    const replies = await Promise.all(clients.map(async (client) => (await client.call('{"method":"getblockcount"}')).status === 200));
    for (const client of clients) client.destroy();
    return replies;
  };
  t.same(await served(), new Array(6).fill(true));
});

t.test('names the address and the remedy when a port is in use', async (t) => {
  const node = new FakeNode();
  await node.start(() => ok('1'), { fronts: 1 });
  t.teardown(() => node.fronts.close());
  const second = new FakeNode();
  await t.rejects(
    second.start(() => ok('1'), { binds: [{ host: '127.0.0.1', port: node.port }] }),
    {
      name: 'HttpStartError',
      message: `Unable to start HTTP server. Binding RPC on address 127.0.0.1 port ${node.port} failed: another program, perhaps another node, uses this port (EADDRINUSE). Choose another -rpcport or -rpcbind.`,
    },
  );
  t.ok(second.log.includes('error Unable to bind any endpoint for RPC server'));
});

t.test('fails to start when its front threads end during the start', async (t) => {
  const node = new FakeNode();
  const tls = { certFile: '/nonexistent/certificate.pem', keyFile: '/nonexistent/key.pem' };
  await t.rejects(
    node.start(() => ({ status: 200, body: '' }), { tls }),
    { code: 'HTTP_START' },
  );
  t.match(
    // Threads end in any order.
    node.log.filter((line) => line.includes('ended unexpectedly')).sort(),
    ['error Front 0 ended unexpectedly.', 'error Front 1 ended unexpectedly.'],
  );
});

t.test('ends the warm-up on all fronts before any of them answers a call', async (t) => {
  const node = new FakeNode();
  await node.start(() => Promise.resolve(ok('1')), {}, 'Loading');
  t.teardown(() => node.fronts.close());
  // Connections are dealt out in turn.
  const clients = [new Client(node.port), new Client(node.port)];
  const ask = (client: Client) => client.call('{"method":"getblockcount","id":1}');
  for (const client of clients) t.match((await ask(client)).body.toString(), /"code":-28,"message":"Loading"/);
  // Simulates a node thread that stops between its messages to one front and to the next.
  const late: (() => void)[] = [];
  const post = MessagePort.prototype.postMessage;
  let posted = 0;
  MessagePort.prototype.postMessage = function (this: MessagePort, ...args: Parameters<typeof post>) {
    if (posted++ === 0) post.apply(this, args);
    else late.push(() => post.apply(this, args));
  } as typeof post;
  node.fronts.setWarmup(null);
  MessagePort.prototype.postMessage = post;
  let answered = false;
  for (let round = 0; round < 3; round++)
    for (const client of clients) {
      const done = !(await ask(client)).body.toString().includes('-28');
      t.ok(done || !answered, 'once answered, always answered');
      answered ||= done;
    }
  t.ok(answered);
  for (const send of late) send();
  for (const client of clients) client.destroy();
});
