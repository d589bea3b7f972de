// The lenient listener names its client to the front, which believes nobody else.
import http from 'node:http';
import net, { type AddressInfo } from 'node:net';
import os from 'node:os';
import t, { type Test } from 'tap';
import { LenientListener, MAX_STRANGERS } from '../../../src/http/lenient/lenient-listener.js';
import { startLenientServer } from '../../../src/http/lenient/start-lenient.js';
import { until } from '../../framework/until.js';
import { FakeNode } from './support.js';

const REQUEST = 'GET / HTTP/1.1\r\n\r\n';

/** An address of this machine that is not loopback. */
const outside = Object.values(os.networkInterfaces())
  .flat()
  .find((one) => one && one.family === 'IPv4' && !one.internal)?.address;

/** Listens as a front would. */
async function serving(t: Test, front: http.Server): Promise<void> {
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
  t.teardown(() => front.close());
}

/** A listener before it. */
async function listening(
  t: Test,
  front: http.Server,
  serverTimeoutSeconds: number,
  relayToken: string,
  host = '127.0.0.1',
): Promise<{ port: number }> {
  const listener = new LenientListener({
    binds: [{ host, port: 0 }],
    target: { host: '127.0.0.1', port: (front.address() as AddressInfo).port },
    allow: [],
    serverTimeoutSeconds,
    relayToken,
  });
  const [bound] = await listener.listen();
  t.teardown(() => listener.close());
  return bound!;
}

/** A client that sends something, and what became of it. */
function clientOf(port: number, sent: string, host = '127.0.0.1') {
  const socket = net.connect(port, host);
  const client = { received: '', ended: false, closed: false, socket };
  socket.on('data', (bytes) => {
    client.received += bytes;
  });
  socket.on('end', () => {
    client.ended = true;
  });
  socket.on('error', () => {});
  socket.on('close', () => {
    client.closed = true;
  });
  socket.write(sent);
  return client;
}

t.test('the client of a listener is named, whatever it says itself', async (t) => {
  const seen: (string | undefined)[] = [];
  const front = http.createServer((request, reply) => {
    seen.push(request.headers['adit-relay'] as string | undefined);
    reply.end('{}');
  });
  await serving(t, front);
  const bound = await listening(t, front, 30, 'secret');
  const socket = net.connect(bound.port, '127.0.0.1');
  socket.write('POST / HTTP/1.0\nadit-relay: secret 203.0.113.9\nContent-Length: 2\n\n{}');
  for await (const _ of socket);
  t.same(seen, ['secret 127.0.0.1']);
  // One that ends its side behind its request waits for the answer all the same.
  const half = net.connect(bound.port, '127.0.0.1');
  half.end('POST / HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}');
  let answer = '';
  for await (const bytes of half) answer += bytes;
  t.match(answer, /^HTTP\/1\.1 200 OK\r\n/);
});

t.test('requests that come ahead of the replies are passed on one after the other, and not without end', async (t) => {
  let open = 0;
  let most = 0;
  const targets: string[] = [];
  const front = http.createServer((request, reply) => {
    most = Math.max(most, ++open);
    targets.push(request.url ?? '');
    setTimeout(() => {
      open--;
      reply.end(request.url);
    }, 5);
  });
  await serving(t, front);
  const bound = await listening(t, front, 30, '');
  const send = (count: number) =>
    clientOf(bound!.port, Array.from({ length: count }, (_, i) => `GET /${i} HTTP/1.1\r\nHost: x\r\n\r\n`).join(''));
  const few = send(5);
  await until('all are answered', () => few.received.includes('/4'));
  t.same(targets, ['/0', '/1', '/2', '/3', '/4']);
  t.equal(most, 1);
  const many = send(2_000);
  await until('it is closed', () => many.closed);
  t.ok(targets.length < 80, `${targets.length} requests were passed on`);
});

t.test(
  'strangers who are refused leave room for others',
  { skip: outside ? false : 'this machine has no address but its own' },
  async (t) => {
    const front = http.createServer((_, reply) => reply.end('{}'));
    await serving(t, front);
    const { port } = await listening(t, front, 30, '', '0.0.0.0');
    // They connect and say nothing.
    const strangers: net.Socket[] = [];
    let closed = 0;
    for (let i = 0; i < MAX_STRANGERS + 20; i++) {
      const socket = net.connect(port, outside);
      socket.on('error', () => {});
      socket.on('close', () => closed++);
      strangers.push(socket);
    }
    t.teardown(() => {
      for (const socket of strangers) socket.destroy();
    });
    await until('those for whom there is no room are closed', () => closed === 20);
    const known = clientOf(port, REQUEST);
    await until('another is answered', () => known.received.includes('200 OK'));
    known.socket.destroy();
    // One that goes makes room for the next, who is told why.
    for (const socket of strangers) if (!socket.destroyed) socket.destroy();
    await until('they are gone', () => closed === strangers.length);
    const told = clientOf(port, REQUEST, outside);
    await until('it is told', () => told.received.includes('403'));
    told.socket.destroy();
  },
);

t.test('quiet clients are closed after -rpcservertimeout, and not before', async (t) => {
  const front = http.createServer((_, reply) => reply.end('{}'));
  await serving(t, front);
  /** A client that has sent so much and then is quiet. */
  const quiet = async (serverTimeoutSeconds: number, sent: string) => {
    const bound = await listening(t, front, serverTimeoutSeconds, '');
    return clientOf(bound.port, sent);
  };
  const whole = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}';
  const [answered, half, silent, ...patient] = await Promise.all([
    quiet(1, whole),
    quiet(1, whole.slice(0, 20)),
    quiet(1, ''),
    quiet(600, whole),
    quiet(600, ''),
  ]);
  await until('three ends', () => answered.ended && half.ended && silent.ended);
  t.match(answered.received, /^HTTP\/1\.1 200 OK\r\n/);
  t.match(half.received, /^(HTTP\/1\.1 408 Request Timeout\r\n|$)/);
  t.same(
    patient.map(({ ended }) => ended),
    [false, false],
  );
});

t.test('a front names that client in its log', async (t) => {
  const node = new FakeNode();
  await node.start(async () => ({ status: 200, body: '' }), { relayToken: 'secret' });
  t.teardown(() => node.fronts.close());
  const guess = (relay: string) =>
    new Promise<void>((resolve, reject) => {
      const headers = { authorization: `Basic ${Buffer.from('user:wrong').toString('base64')}`, 'adit-relay': relay };
      http
        .request({ port: node.port, host: '127.0.0.1', method: 'POST', headers, agent: false }, (reply) => {
          reply.resume().on('end', () => resolve());
        })
        .on('error', reject)
        .end('{}');
    });
  await guess('secret 203.0.113.7');
  await guess('guessed 203.0.113.8');
  const lines = () => node.log.filter((line) => line.includes('incorrect password'));
  await until('both lines', () => lines().length === 2);
  t.same(lines(), [
    'warn ThreadRPCServer incorrect password attempt from 203.0.113.7',
    'warn ThreadRPCServer incorrect password attempt from 127.0.0.1',
  ]);
});

t.test('a thread that ends by itself fails the start, or is told of', async (t) => {
  const entry = new URL('./dying-lenient.js', import.meta.url);
  const start = (port: number, ends: string[]) =>
    startLenientServer(
      { binds: [], target: { host: '127.0.0.1', port }, allow: [], serverTimeoutSeconds: 30, relayToken: '' },
      (reason) => ends.push(reason.message),
      entry,
    );
  const ends: string[] = [];
  await t.rejects(start(1, ends), { message: 'the thread ended with code 3' });
  await t.rejects(start(2, ends), { message: 'no library' });
  t.same(ends, []);
  const server = await start(3, ends);
  await until('the end', () => ends.length > 0);
  t.same(ends, ['the thread ended with code 0']);
  await server.close();
  await (await start(4, ends)).close();
  t.equal(ends.length, 1, 'not when it was told to close');
});
