// Tests the client's side of SOCKS5, byte by byte (RFC 1928, RFC 1929), against a simulated proxy in memory.
import fs from 'node:fs';
import net, { type Socket } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import t from 'tap';
import { openSocket } from '../../../src/net/peer/open-socket.js';
import { connectThroughSocks } from '../../../src/net/peer/socks.js';
import { type MemorySocket, socketPair } from '../../framework/memory-socket.js';

const TARGET = { host: 'seed.example', port: 8333 };
/** Request to connect to a domain: 05 01 00 03, length and name, port. */
const REQUEST = Buffer.concat([Buffer.of(5, 1, 0, 3, 12), Buffer.from('seed.example'), Buffer.of(0x20, 0x8d)]);
const GRANTED = Buffer.of(5, 0, 0, 1, 127, 0, 0, 1, 0x20, 0x8d);

/**
 * Connects through a proxy that answers each message with the next of these.
 * @returns the messages to the proxy, and the result of the connection
 */
async function call(answers: readonly Uint8Array[], credentials: string | null = null, after = Buffer.alloc(0)) {
  const [near, far] = socketPair();
  const received: Buffer[] = [];
  const left = [...answers];
  far.on('data', (chunk: Buffer) => {
    received.push(chunk);
    const answer = left.shift();
    if (answer === undefined) far.destroy();
    else far.write(Buffer.concat(left.length === 0 ? [answer, after] : [answer]));
  });
  const outcome = await connectThroughSocks(near as unknown as Socket, TARGET, credentials, 60_000).then(
    () => 'connected',
    (error: Error) => error.message,
  );
  return { told: received, outcome, near, far };
}

const rest = (socket: MemorySocket): Buffer => (socket.read() as Buffer | null) ?? Buffer.alloc(0);

t.test('connects without credentials, and leaves the first bytes of the peer unread', async (t) => {
  const { told, outcome, near } = await call([Buffer.of(5, 0), GRANTED], null, Buffer.from('first bytes of the peer'));
  t.equal(outcome, 'connected');
  t.same(told, [Buffer.of(5, 1, 0), REQUEST]);
  t.equal(rest(near).toString(), 'first bytes of the peer', 'nothing beyond the reply is read');
});

t.test('sends credentials when the proxy requests them', async (t) => {
  const { told, outcome } = await call([Buffer.of(5, 2), Buffer.of(1, 0), GRANTED], 'circuit-7');
  t.equal(outcome, 'connected');
  t.same(told, [
    Buffer.of(5, 2, 0, 2),
    Buffer.concat([Buffer.of(1, 9), Buffer.from('circuit-7'), Buffer.of(9), Buffer.from('circuit-7')]),
    REQUEST,
  ]);
});

t.test('sends no credentials when the proxy does not request them', async (t) => {
  const { told, outcome } = await call([Buffer.of(5, 0), GRANTED], 'circuit-7');
  t.equal(outcome, 'connected');
  t.same(told, [Buffer.of(5, 2, 0, 2), REQUEST]);
});

t.test('rejects the connection with a reason when the proxy refuses or answers wrongly', async (t) => {
  const rows: [readonly Uint8Array[], string | null, string][] = [
    [[Buffer.of(4, 0)], null, 'proxy: not SOCKS5'],
    [[Buffer.of(5, 255)], null, 'proxy: no common method'],
    [[Buffer.of(5, 2)], null, 'proxy: no common method'],
    [[Buffer.of(5, 1)], 'x', 'proxy: no common method'],
    [[Buffer.of(5, 2), Buffer.of(1, 1)], 'x', 'proxy: authentication failed'],
    [[Buffer.of(5, 0), Buffer.of(5, 1, 0, 1, 0, 0, 0, 0, 0, 0)], null, 'proxy: general failure'],
    [[Buffer.of(5, 0), Buffer.of(5, 5, 0, 1, 0, 0, 0, 0, 0, 0)], null, 'proxy: connection refused'],
    [[Buffer.of(5, 0), Buffer.of(5, 99, 0, 1, 0, 0, 0, 0, 0, 0)], null, 'proxy: error 99'],
    [[Buffer.of(5, 0), Buffer.of(5, 0, 0, 9, 0, 0, 0, 0, 0, 0)], null, 'proxy: malformed reply'],
    [[], null, 'proxy: closed the connection'],
    [[Buffer.of(5, 0)], null, 'proxy: closed the connection'],
  ];
  for (const [answers, credentials, wanted] of rows) {
    const { outcome, near } = await call(answers, credentials);
    t.equal(outcome, wanted);
    t.equal(near.destroyed, true);
  }
});

t.test('reads replies with domain names and IPv6 addresses completely', async (t) => {
  for (const bound of [Buffer.of(5, 0, 0, 3, 2, 0x61, 0x62, 0, 1), Buffer.concat([Buffer.of(5, 0, 0, 4), Buffer.alloc(18)])]) {
    const { outcome, near } = await call([Buffer.of(5, 0), bound], null, Buffer.from('!'));
    t.equal(outcome, 'connected');
    t.equal(rest(near).toString(), '!');
  }
});

t.test('rejects a host name longer than 255 bytes', async (t) => {
  const [near] = socketPair();
  const target = { host: 'x'.repeat(256), port: 1 };
  await t.rejects(connectThroughSocks(near as unknown as Socket, target, null, 1_000), /name too long/);
});

t.test('connects to a proxy through a Unix socket', async (t) => {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'adit-socks-'));
  t.teardown(() => fs.rmSync(dir, { recursive: true, force: true }));
  const place = { path: path.join(dir, 'tor.sock') };
  const server = net.createServer((socket) => {
    const answers = [Buffer.of(5, 0), GRANTED];
    socket.on('data', () => socket.write(answers.shift() ?? Buffer.alloc(0)));
  });
  await new Promise<void>((resolve) => server.listen(place.path, resolve));
  const pending = new Set<Socket>();
  const socket = await openSocket(place, 60_000, pending);
  t.equal(pending.size, 0);
  await t.resolves(connectThroughSocks(socket, TARGET, null, 60_000));
  socket.destroy();
  server.close();
  await t.rejects(openSocket({ path: `${place.path}.none` }, 60_000, pending), { code: 'ENOENT' });
});
