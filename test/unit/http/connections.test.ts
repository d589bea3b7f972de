// Tests connections: further requests before replies, clients that close their sending side, and clients that send
// nothing.
import net from 'node:net';
import t from 'tap';
import { Connection, Connections } from '../../../src/http/front/connection.js';
import { until } from '../../framework/until.js';
import { AUTH, Client, FakeNode } from './support.js';

const ok = (text: string) => ({ status: 200, body: `{"result":${text},"error":null,"id":1}\n` });
const request = (body: string) => `POST / HTTP/1.1\r\nAuthorization: ${AUTH}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
const call = (id: number) => request(`{"method":"getblockchaininfo","id":${id}}`);

/** Starts a node that answers each call when the test says so. Records the calls. */
async function started(fronts = 1, serverTimeoutSeconds = 600) {
  const node = new FakeNode();
  const asked: string[] = [];
  const answers: (() => void)[] = [];
  await node.start(
    (body) => {
      asked.push(Buffer.from(body).toString());
      return new Promise((resolve) => answers.push(() => resolve(ok(String(asked.length)))));
    },
    { fronts, serverTimeoutSeconds },
  );
  return { node, asked, answers };
}

t.test('runs pipelined requests one after the other, each once', async (t) => {
  const { node, asked, answers } = await started();
  t.teardown(() => node.fronts.close());
  const client = new Client(node.port);
  const ids = Array.from({ length: 20 }, (_, i) => i);
  client.send(ids.map(call).join(''));
  for (const id of ids) {
    await until('the next one runs', () => answers.length === id + 1);
    t.match(asked[id], `"id":${id}}`);
    t.equal(node.fronts.stats().fronts[0]!.exchangesOpen, 1, 'and no other');
    answers[id]!();
    t.equal((await client.reply()).status, 200);
  }
  t.equal(asked.length, ids.length);
  client.destroy();
});

t.test('distinguishes known heads that arrive in pieces, with other requests between them', async (t) => {
  const { node } = await started();
  t.teardown(() => node.fronts.close());
  const client = new Client(node.port);
  const right = request('{"method":"getblockcount","id":1}');
  const others = [right.replace('POST /', 'POST /foo'), right.replace('\r\nContent', '\r\nA: b\r\nContent')];
  for (const cut of [1, 20, right.indexOf('\r\n\r\n') + 3, right.length - 1]) {
    for (const [text, status] of [
      [right, 200],
      [right, 200],
      [others[0]!, 404],
      [right, 200],
      [others[1]!, 200],
    ] as const) {
      client.send(text.slice(0, cut));
      await until('it is there', () => client.delivered);
      client.send(text.slice(cut));
      t.equal((await client.reply()).status, status, `${text.split('\r')[0]}, cut at ${cut}`);
    }
  }
  client.destroy();
});

t.test('ends the connection on which the server threw an exception', (t) => {
  const clock = new Connections(600);
  t.teardown(() => clock.close());
  const connection = new Connection(
    new net.Socket(),
    {
      exchanges: { reserve: () => true, refuse() {}, maySecret: () => false, ended() {} },
      handle() {
        throw new Error('a fault');
      },
      refuse() {},
    },
    clock,
  );
  // Bytes after the request would stand where the next client's bytes are stored.
  t.throws(() => connection.takeBytes(Buffer.from(`${call(1)}POST / HT`)), /a fault/);
  t.equal(connection.socket.destroyed, true);
  t.end();
});

t.test('ignores a client that waits for 100 Continue after another reply', async (t) => {
  const { node, asked, answers } = await started();
  t.teardown(() => node.fronts.close());
  const waiting = request('').replace('Length: 0', 'Length: 40\r\nExpect: 100-continue');
  for (const [head, status] of [
    [waiting.replace(AUTH, 'Basic eDp5'), 401],
    [waiting.replace(`Authorization: ${AUTH}\r\n`, ''), 401],
    [waiting.replace('POST /', 'POST /foo'), 404],
    [waiting.replace('POST', 'PUT'), 405],
  ] as const) {
    const client = new Client(node.port);
    client.send(head);
    const reply = await client.reply();
    t.equal(reply.status, status);
    t.match(reply.head, 'Connection: close');
    client.send(call(1));
    await client.ended();
  }
  t.equal(asked.length, 0);
  const client = new Client(node.port);
  const body = '{"method":"getblockchaininfo","id":12345}';
  client.send(waiting.replace('40', String(body.length)));
  t.equal((await client.reply()).status, 100);
  client.send(body);
  await until('it runs', () => answers.length === 1);
  answers[0]!();
  const reply = await client.reply();
  t.equal(reply.status, 200);
  t.notMatch(reply.head, 'Connection: close');
  client.destroy();
});

t.test('holds pipelined bytes up to a limit', async (t) => {
  const { node, answers } = await started();
  t.teardown(() => node.fronts.close());
  const client = new Client(node.port);
  // More bytes than the buffers of two sockets can hold.
  const piece = call(0).repeat(5_000);
  const pieces = 50;
  let taken = 0;
  const send = (): void => {
    if (taken < pieces) client.socket.write(piece, sent);
  };
  const sent = (error?: Error | null): void => {
    if (error) return;
    taken++;
    send();
  };
  send();
  await until('the first one runs', () => answers.length === 1);
  const other = new Client(node.port);
  for (let i = 0; i < 50; i++) t.equal((await other.call('{"method":"getblockcount"}')).status, 200);
  t.ok(taken < pieces, `${taken} of ${pieces} pieces`);
  client.reset();
  other.destroy();
  for (const answer of answers) answer();
});

t.test('ignores any number of empty lines before a request', async (t) => {
  const { node } = await started();
  t.teardown(() => node.fronts.close());
  const client = new Client(node.port);
  // Much more than the limit for a head.
  client.send('\r\n'.repeat(100_000));
  client.send(`\n${request('{"method":"getblockcount","id":1}')}\r\n\r\n`);
  t.equal((await client.reply()).status, 200);
  client.send(request('{"method":"getblockcount","id":1}'));
  t.equal((await client.reply()).status, 200);
  client.destroy();
});

t.test('replies to a client that closed its sending side, then ends the connection', async (t) => {
  const { node, asked, answers } = await started(2);
  t.teardown(() => node.fronts.close());
  for (const front of [0, 1]) {
    answers.length = asked.length = 0;
    const client = new Client(node.port, '127.0.0.1', true);
    client.socket.end(call(1) + call(2) + call(3).slice(0, -5));
    for (let i = 0; i < 2; i++) {
      await until('it runs', () => answers.length === i + 1);
      answers[i]!();
      t.equal((await client.reply()).status, 200, `dealt to front ${front}`);
    }
    await client.ended();
    t.equal(asked.length, 2, 'half a request is none');
  }
});

t.test('notices a client that closed both sides, and cancels its call', async (t) => {
  const { node, answers } = await started();
  t.teardown(() => node.fronts.close());
  const client = new Client(node.port, '127.0.0.1', true);
  client.socket.end(call(1));
  await until('it runs', () => answers.length === 1);
  client.reset();
  await until('the front knows', () => node.fronts.stats().fronts[0]!.abortedByClient === 1);
});

t.test('closes idle clients after -rpcservertimeout, and not earlier', async (t) => {
  const nodes = [await started(1, 1), await started(1, 600)];
  t.teardown(() => Promise.all(nodes.map(({ node }) => node.fronts.close())));
  const whole = request('{"method":"getblockcount","id":1}');
  const cases = ['', whole.slice(0, 20), whole.slice(0, -33), whole.slice(0, -5), whole, `${whole}POST`];
  const [closed, kept] = nodes.map(({ node }) =>
    cases.map((sent) => {
      const client = new Client(node.port);
      client.send(sent);
      return client;
    }),
  );
  const waiting = new Client(nodes[0]!.node.port);
  waiting.send(call(1));
  await until('a call runs', () => nodes[0]!.answers.length === 1);
  await Promise.all(closed!.map((client) => client.ended()));
  t.same(
    closed!.map((client) => client.receivedBytes > 0),
    cases.map((sent) => sent.startsWith(whole)),
    'without an answer',
  );
  t.equal(waiting.closed, false, 'one that waits for its reply stays');
  t.same(
    kept!.map((client) => client.closed),
    cases.map(() => false),
  );
  for (const client of [...kept!, waiting]) client.reset();
  for (const answer of nodes[0]!.answers) answer();
});

t.test('delivers a reply that ends the connection to a client that has sent more', async (t) => {
  const { node } = await started();
  t.teardown(() => node.fronts.close());
  const client = new Client(node.port);
  client.send(`POST / HTTP/1.1\r\nContent-Length: 40000000\r\n\r\n${' '.repeat(3_000_000)}`);
  t.equal((await client.reply()).status, 413);
  client.destroy();
});
