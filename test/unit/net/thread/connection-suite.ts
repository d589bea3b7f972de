// Tests of connections that apply to any thread on which the sockets are. The suite runs with InlineConnectionFactory
// and ThreadedConnectionFactory.
import net from 'node:net';
import type { Test } from 'tap';
import { createEllSwift } from '../../../../src/crypto/native/ell-swift.js';
import { createNativeHashes } from '../../../../src/crypto/native/hashes.js';
import { silentLogger } from '../../../../src/log/logger.js';
import { InlineConnectionFactory } from '../../../../src/net/peer/inline-connection-factory.js';
import {
  type ConnectionFactory,
  MAX_UNREAD_BYTES,
  type NewConnection,
  OTHER,
  type PeerConnection,
  type PeerConnectionOptions,
} from '../../../../src/net/peer/peer-connection.js';
import { Traffic } from '../../../../src/net/peer/traffic.js';
import { ThreadedConnectionFactory, type ThreadedConnectionFactoryDeps } from '../../../../src/net/thread/threaded-connection-factory.js';
import { KeyExchangeQueue } from '../../../../src/net/transport/key-exchange-queue.js';
import { PACKET_OVERHEAD } from '../../../../src/net/transport/session.js';
import { encodeFrame, type Frame } from '../../../../src/net/wire/frame.js';
import { freePort } from '../../../framework/ports.js';
import { until } from '../../../framework/until.js';

export const hashes = createNativeHashes();
export const magic = Uint8Array.of(0xfa, 0xbf, 0xb5, 0xda);
const SETTINGS = { magic, maxSendBytes: 1_000_000, maxReceiveBytes: 5_000_000 };
const LOCAL = '127.0.0.1';
export const TIMEOUT_MS = 600_000;

export interface Made {
  readonly lines: ConnectionFactory;
  readonly traffic: Traffic;
}

export function inlineFactory(): Made {
  const traffic = new Traffic();
  const keys = new KeyExchangeQueue(createEllSwift(hashes));
  return { lines: new InlineConnectionFactory(SETTINGS, { hashes, keys, nowSeconds: () => 1, traffic, warn: () => {} }), traffic };
}

export function threadedFactory(more: Partial<ThreadedConnectionFactoryDeps> = {}, encrypts = true): Made {
  const traffic = new Traffic();
  const clock = { monotonicMs: () => performance.now() };
  return {
    lines: new ThreadedConnectionFactory({ ...SETTINGS, encrypts }, { traffic, clock, log: silentLogger, startedAgain: () => {}, ...more }),
    traffic,
  };
}

/** Owner of a connection. The test controls when it takes messages. */
export class Owner {
  readonly line: PeerConnection;
  readonly seen: Frame[] = [];
  readonly faults: [string, boolean][] = [];
  readonly sent: [string, number, number][] = [];
  received = 0;
  wakes = 0;
  ended = 0;
  /** Messages are taken as soon as they arrive. */
  eager: boolean;
  /** While too many bytes wait to be sent, no message is taken, as in the dispatcher. */
  polite = false;

  constructor(fresh: NewConnection, options: PeerConnectionOptions, eager = true) {
    this.eager = eager;
    this.line = fresh.start(options, {
      workPending: () => {
        this.wakes++;
        if (this.eager) setImmediate(() => this.take());
      },
      fault: (text, fatal) => this.faults.push([text, fatal]),
      sent: (command, bytes, size) => this.sent.push([command, bytes, size]),
      received: (_, bytes) => {
        this.received += bytes;
      },
      closed: () => {
        this.ended++;
      },
    });
  }

  /** Takes all messages that have arrived. */
  take(): void {
    while (this.line.hasMessage && !(this.polite && this.line.sendPaused)) {
      const frame = this.line.shift();
      if (frame !== undefined) this.seen.push(frame);
    }
  }
}

const CLEAR = { encrypted: false, initiating: false } as const;

function payloadOf(length: number, seed: number): Uint8Array {
  const payload = new Uint8Array(length);
  for (let i = 0; i < length; i++) payload[i] = i * 7 + seed;
  return payload;
}

/** Opens a connection whose other end is a plain socket of the test, without encryption. */
export async function stranger(lines: ConnectionFactory, eager = true): Promise<{ owner: Owner; socket: net.Socket; bindText: string }> {
  let owner: Owner | null = null;
  let bindText = '';
  const port = await lines.listen({ host: LOCAL, port: await freePort() }, (incoming) => {
    bindText = incoming.bindText;
    owner = new Owner(incoming.connection, CLEAR, eager);
  });
  const socket = net.connect(port, LOCAL);
  socket.on('error', () => {});
  await until('a connection', () => owner !== null);
  return { owner: owner as unknown as Owner, socket, bindText };
}

/** Opens a connection between two owners. */
async function pair(lines: ConnectionFactory, encrypted: boolean): Promise<{ called: Owner; caller: Owner }> {
  let called: Owner | null = null;
  const port = await lines.listen({ host: LOCAL, port: await freePort() }, ({ connection: line }) => {
    called = new Owner(line, { encrypted, initiating: false });
  });
  const { connection: line } = await lines.open({ host: LOCAL, port }, null, TIMEOUT_MS);
  const caller = new Owner(line, { encrypted, initiating: true });
  await until('the other end', () => called !== null);
  return { called: called as unknown as Owner, caller };
}

export function connectionSuite(t: Test, make: () => Made): void {
  t.test('delivers long messages unchanged in memory that earlier ones gave back', async (t) => {
    for (const encrypted of [false, true]) {
      const { lines } = make();
      const { called, caller } = await pair(lines, encrypted);
      for (let i = 0; i < 12; i++) {
        const sent = payloadOf([300_000, 40_000, 250_000, 5][i % 4] as number, i);
        caller.line.send('block', sent);
        await until('the message', () => called.seen.length === i + 1);
        const { payload } = called.seen[i] as Frame;
        if (Buffer.compare(payload, sent) !== 0) t.fail(`message ${i} came changed`);
        called.line.reuse(payload);
      }
      await lines.close();
    }
  });

  t.test('delivers messages of all sizes in order, in plain text and encrypted', async (t) => {
    for (const encrypted of [false, true]) {
      const { lines, traffic } = make();
      const { called, caller } = await pair(lines, encrypted);
      const sizes = [0, 1, 8, 1_000, 32_767, 32_768, 70_000, 3_999_999, 5, 300_000, 0];
      const messages = sizes.map((size, i) => [i % 3 === 0 ? 'tx' : i % 3 === 1 ? 'block' : 'inv', payloadOf(size, i)] as const);
      caller.line.send('version', payloadOf(100, 1));
      for (const [command, payload] of messages) caller.line.send(command, payload);
      await until('all messages', () => called.seen.length === messages.length + 1);
      t.same(
        called.seen.slice(1).map(({ command, length }) => [command, length]),
        messages.map(([command, { length }]) => [command, length]),
      );
      for (const [i, [, payload]] of messages.entries()) {
        if (Buffer.compare(called.seen[i + 1]!.payload, payload) !== 0) t.fail(`message ${i} came changed`);
      }
      called.line.send('pong', payloadOf(8, 3));
      await until('an answer', () => caller.seen.length === 1);
      t.same([caller.seen[0]!.command, Buffer.from(caller.seen[0]!.payload).equals(payloadOf(8, 3))], ['pong', true]);
      const type = encrypted ? 'v2' : 'v1';
      t.same([called.line.transportType, caller.line.transportType], [type, type]);
      t.equal(called.line.sessionId === null, !encrypted);
      t.same(called.line.sessionId, caller.line.sessionId);
      // The counts at both ends equal the bytes on the wire, except for keys and garbage. The first packet is not a
      // message.
      const size = caller.sent.reduce((sum, [, , bytes]) => sum + bytes, 0);
      const first = encrypted ? PACKET_OVERHEAD : 0;
      t.equal(called.received, size + first);
      t.equal(called.line.receivedByMessage.get(OTHER) ?? 0, first);
      t.equal(
        [...caller.line.sentByMessage.values()].reduce((a, b) => a + b),
        size,
      );
      t.equal([...called.line.receivedByMessage.values()].reduce((a, b) => a + b) - first, size);
      await until('figures that agree', () => caller.line.bytesSent === called.line.bytesReceived);
      if (!encrypted) t.equal(called.line.bytesReceived, size);
      await until('nothing under way', () => traffic.incoming === 0 && traffic.outgoing === 0 && caller.line.unsent === 0);
      t.equal(traffic.sent, caller.line.bytesSent + called.line.bytesSent);
      t.equal(traffic.received, traffic.sent);
      caller.line.close();
      await until('the end', () => called.ended === 1);
      t.same([caller.ended, caller.line.closed, called.line.closed, called.line.hasMessage], [1, true, true, false]);
      await lines.close();
    }
  });

  t.test('delivers a thousand small messages separately', async (t) => {
    const { lines } = make();
    const { called, caller } = await pair(lines, false);
    for (let i = 0; i < 1_000; i++) caller.line.send('ping', Uint8Array.of(i & 255, i >> 8));
    await until('all messages', () => called.seen.length === 1_000);
    t.same(
      called.seen.map(({ payload }) => payload[0]! + payload[1]! * 256),
      Array.from({ length: 1_000 }, (_, i) => i),
    );
    await lines.close();
  });

  t.test('delivers messages with unknown commands, and counts their bytes as other', async (t) => {
    const { lines } = make();
    const { owner, socket, bindText } = await stranger(lines);
    t.match(bindText, /^127\.0\.0\.1:\d+$/);
    socket.write(encodeFrame(magic, 'nonsense', payloadOf(50_000, 1), hashes));
    socket.write(encodeFrame(magic, 'twelve_chars', payloadOf(10, 1), hashes));
    socket.write(encodeFrame(magic, 'verack', payloadOf(0, 1), hashes));
    await until('three messages', () => owner.seen.length === 3);
    t.same(
      owner.seen.map(({ command, length, size }) => [command, length, size]),
      [
        ['nonsense', 50_000, 50_024],
        ['twelve_chars', 10, 34],
        ['verack', 0, 24],
      ],
    );
    t.same(
      [...owner.line.receivedByMessage],
      [
        [OTHER, 50_058],
        ['verack', 24],
      ],
    );
    socket.destroy();
    await until('the end', () => owner.ended === 1);
    await lines.close();
  });

  t.test('reports a bad message in order, and disconnects when the stream is invalid', async (t) => {
    const { lines, traffic } = make();
    const { owner, socket } = await stranger(lines, false);
    const spoilt = encodeFrame(magic, 'ping', payloadOf(8, 1), hashes);
    spoilt[20]! ^= 1;
    socket.write(encodeFrame(magic, 'ping', payloadOf(8, 1), hashes));
    socket.write(spoilt);
    socket.write(encodeFrame(magic, 'pong', payloadOf(8, 1), hashes));
    await until('something to take', () => owner.line.hasWhole);
    t.equal(owner.line.shift()?.command, 'ping');
    t.same(owner.faults, []);
    await until('more', () => owner.line.hasMessage);
    t.equal(owner.line.shift(), undefined);
    t.match(owner.faults, [[/^CHECKSUM ERROR \(ping, 8 bytes\)/, false]]);
    await until('more', () => owner.line.hasWhole);
    t.equal(owner.line.shift()?.command, 'pong');
    t.same(Object.fromEntries(owner.line.receivedByMessage), { ping: 32, [OTHER]: 32, pong: 32 }, 'a message that is none has no name');
    socket.write(Buffer.alloc(24, 7));
    await until('the end', () => {
      t.equal(owner.line.hasMessage ? owner.line.shift() : undefined, undefined);
      return owner.ended === 1;
    });
    t.match(owner.faults[1], [/^HEADER ERROR - MESSAGESTART/, true]);
    t.equal(owner.line.closed, true);
    await until('the end of the socket', () => socket.destroyed || socket.readableEnded);
    await until('nothing held', () => traffic.incoming === 0);
    await lines.close();
  });

  t.test('stops reading from a peer whose messages are not processed, and loses none of them', async (t) => {
    const { lines, traffic } = make();
    const { owner, socket } = await stranger(lines, false);
    const message = encodeFrame(magic, 'tx', payloadOf(1_000, 1), hashes);
    const COUNT = 20_000;
    socket.write(Buffer.concat(new Array(COUNT).fill(message)));
    let before = -1;
    // Wait until two readings of the counter are equal.
    await until(
      'reading to stop',
      () => {
        const { bytesReceived } = owner.line;
        const stopped = bytesReceived > 5_000_000 && bytesReceived === before;
        before = bytesReceived;
        return stopped;
      },
      200,
    );
    t.ok(owner.line.held < 7_000_000, `${owner.line.held} bytes held`);
    t.ok(Math.abs(traffic.incoming - owner.line.held) < 400_000, `${traffic.incoming} bytes of all`);
    owner.eager = true;
    owner.take();
    await until('the rest', () => owner.seen.length === COUNT);
    t.same([owner.faults, owner.received], [[], COUNT * message.length]);
    await until('nothing held', () => traffic.incoming === 0 && owner.line.held === 0);
    await lines.close();
  });

  t.test('pauses sending to a peer that does not read, and disconnects it at the limit', async (t) => {
    const { lines, traffic } = make();
    const { owner, socket } = await stranger(lines);
    socket.pause();
    for (let i = 0; i < 12; i++) owner.line.send('block', payloadOf(1_000_000, i));
    // The kernel's buffers take a part of the bytes.
    t.equal(owner.line.sendPaused, true);
    await until('the clock of a stuck peer', () => owner.line.stuckMs > 0);
    t.ok(traffic.outgoing > 0);
    const { wakes } = owner;
    socket.resume();
    await until('room', () => owner.wakes > wakes);
    await until('all of it to be read', () => socket.bytesRead === 12 * 1_000_024);
    await until('nothing left', () => owner.line.unsent === 0 && traffic.outgoing === 0);
    t.same([owner.line.sendPaused, owner.line.stuckMs], [false, 0]);
    socket.pause();
    for (let i = 0; i < 60 && !owner.line.closed; i++) owner.line.send('block', payloadOf(1_000_000, i));
    t.same(owner.faults, [['does not read what it is sent', true]]);
    t.equal(owner.ended, 1, `never more than ${MAX_UNREAD_BYTES} bytes`);
    await until('nothing left', () => traffic.outgoing === 0);
    await lines.close();
  });

  t.test('marks a connection as refused when the peer closes it after the encryption key', async (t) => {
    const { lines } = make();
    const server = net.createServer((socket) => socket.once('data', () => socket.destroy()));
    await new Promise<void>((resolve) => server.listen(0, LOCAL, resolve));
    const { port } = server.address() as net.AddressInfo;
    const owner = new Owner((await lines.open({ host: LOCAL, port }, null, TIMEOUT_MS)).connection, { encrypted: true, initiating: true });
    owner.line.send('version', payloadOf(100, 1));
    await until('the end', () => owner.ended === 1);
    t.equal(owner.line.refused, true);
    server.close();
    await lines.close();
  });

  t.test('reports a taken port and a refused connection, and closes its listeners', async (t) => {
    const { lines } = make();
    const port = await lines.listen({ host: LOCAL, port: await freePort() }, ({ connection: line }) => line.drop());
    await t.rejects(
      lines.listen({ host: LOCAL, port }, () => {}),
      { code: 'EADDRINUSE' },
    );
    // The listener is full, so it closes the connection before any message.
    const { connection: line } = await lines.open({ host: LOCAL, port }, null, TIMEOUT_MS);
    const owner = new Owner(line, { encrypted: false, initiating: true });
    await until('the end', () => owner.ended === 1);
    await t.rejects(lines.open({ host: LOCAL, port: await freePort() }, null, TIMEOUT_MS), /ECONNREFUSED/);
    await lines.close();
    await t.rejects(
      new Promise((_, reject) => net.connect(port, LOCAL).on('error', reject)),
      /ECONNREFUSED/,
      'nothing listens after the end',
    );
  });

  t.test('releases all buffers of a peer that resets the connection with data pending', async (t) => {
    const { lines, traffic } = make();
    const { owner, socket } = await stranger(lines);
    owner.polite = true;
    socket.pause();
    for (let i = 0; i < 12; i++) owner.line.send('block', payloadOf(1_000_000, i));
    t.equal(owner.line.sendPaused, true);
    socket.write(encodeFrame(magic, 'ping', payloadOf(8, 1), hashes));
    socket.write(Buffer.alloc(24, 7));
    await until('the nonsense to arrive', () => owner.line.bytesReceived === 56);
    socket.resetAndDestroy();
    await until('the end', () => owner.ended === 1);
    await until('nothing left', () => traffic.outgoing === 0 && traffic.incoming === 0);
    await lines.close();
  });

  t.test('sends small messages that waited for the kernel, and leaves nothing pending', async (t) => {
    const { lines, traffic } = make();
    const { owner, socket } = await stranger(lines);
    socket.pause();
    for (let i = 0; i < 9; i++) owner.line.send('block', payloadOf(1_000_000, i));
    // The kernel takes as many bytes as it can. The small rest is sent later without a further call.
    for (let i = 0; i < 40; i++) {
      owner.line.send('pong', payloadOf(2_000, i));
      await until('a moment', () => true);
    }
    socket.resume();
    await until('all of it to be read', () => socket.bytesRead === 9 * 1_000_024 + 40 * 2_024);
    await until('nothing left', () => owner.line.unsent === 0 && owner.line.stuckMs === 0 && traffic.outgoing === 0);
    t.same([owner.line.closed, owner.line.sendPaused], [false, false]);
    await lines.close();
  });

  t.test('closes although a proxy does not answer', async (t) => {
    const { lines } = make();
    const proxy = net.createServer(() => {});
    await new Promise<void>((resolve) => proxy.listen(0, LOCAL, resolve));
    const at = { host: LOCAL, port: (proxy.address() as net.AddressInfo).port, credentials: null };
    const opening = lines.open({ host: 'far.example', port: 1 }, at, TIMEOUT_MS).catch((error: Error) => error);
    await until('a call', () => new Promise<boolean>((resolve) => proxy.getConnections((_, count) => resolve(count === 1))));
    await lines.close();
    t.type(await opening, Error);
    proxy.close();
  });

  t.test('closes a connection at once that ended before it had an owner', async (t) => {
    const { lines } = make();
    // A proxy that connects at once. The far end sends nothing or a few bytes, and then closes.
    for (const goes of [(far: net.Socket) => far.resetAndDestroy(), (far: net.Socket) => far.end(), (far: net.Socket) => far.end('bye')]) {
      const proxy = net.createServer((far) => {
        far.on('error', () => {});
        far.once('data', () => {
          far.write(Buffer.of(5, 0));
          far.once('data', () => {
            far.write(Buffer.of(5, 0, 0, 1, 0, 0, 0, 0, 0, 0));
            setTimeout(() => goes(far), 20);
          });
        });
      });
      await new Promise<void>((resolve) => proxy.listen(0, LOCAL, resolve));
      const at = { host: LOCAL, port: (proxy.address() as net.AddressInfo).port, credentials: null };
      const { connection: line } = await lines.open({ host: 'far.example', port: 1 }, at, TIMEOUT_MS);
      await new Promise((resolve) => setTimeout(resolve, 200));
      const owner = new Owner(line, { encrypted: false, initiating: true });
      await until('the end', () => owner.ended === 1);
      t.equal(owner.line.closed, true);
      proxy.close();
    }
    await lines.close();
  });

  t.test('measures the progress of a message from its first byte, and reports whole messages', async (t) => {
    const { lines } = make();
    const { owner, socket } = await stranger(lines, false);
    const begun = owner.line.progressMs;
    await new Promise((resolve) => setTimeout(resolve, 100));
    const message = encodeFrame(magic, 'tx', payloadOf(1_000, 1), hashes);
    socket.write(message.subarray(0, 500));
    await until('half of it', () => owner.line.held === 500);
    t.ok(owner.line.progressMs > begun + 50, 'a quiet peer has as long as any');
    t.equal(owner.line.holdsWhole, false);
    socket.write(message.subarray(500));
    await until('all of it', () => owner.line.holdsWhole);
    await lines.close();
  });
}
