// Tests limits for hostile peers: the order in which peers are served, bytes that wait in either direction,
// disconnections when memory is short, and the rate of log lines.
import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import t from 'tap';
import { ByteQueue } from '../../../src/consensus/bytes/byte-queue.js';
import { createPureHashes } from '../../../src/crypto/pure.js';
import { limitedLog } from '../../../src/log/limited-log.js';
import { silentLogger } from '../../../src/log/logger.js';
import { FairQueue } from '../../../src/net/fair-queue.js';
import { NO_PERMISSIONS } from '../../../src/net/options.js';
import { Peer } from '../../../src/net/peer/peer.js';
import { relief } from '../../../src/net/peer/relief.js';
import { SendQueue } from '../../../src/net/peer/send-queue.js';
import { SocketConnection } from '../../../src/net/peer/socket-connection.js';
import { Traffic } from '../../../src/net/peer/traffic.js';
import { TxRequests } from '../../../src/net/relay/tx-requests.js';
import { Rounds } from '../../../src/net/rounds.js';
import { V1Transport } from '../../../src/net/transport/v1-transport.js';
import { Wanted } from '../../../src/net/wanted.js';
import { encodeFrame } from '../../../src/net/wire/frame.js';
import { encodeInv } from '../../../src/net/wire/messages.js';
import { countingReadings } from '../../framework/turns.js';

const hashes = createPureHashes();
const magic = Uint8Array.of(1, 2, 3, 4);

t.test('serves the peer that has used the least thread time recently', async (t) => {
  let now = 0;
  const turns = new FairQueue<{ name: string }>(() => now);
  const [flood, honest] = [{ name: 'flood' }, { name: 'honest' }];
  for (let i = 0; i < 100; i++) {
    turns.charge(flood, 1);
    now += 1;
  }
  turns.add(flood);
  turns.add(honest);
  t.equal(turns.takeNext(), honest, 'though it came later');
  t.equal(turns.takeNext(), flood);
  t.equal(turns.takeNext(), undefined);
  now += 10_000;
  const newcomer = { name: 'newcomer' };
  turns.add(newcomer);
  turns.add(honest);
  t.equal(turns.takeNext(), honest, 'a peer that reconnects under new names is not served before lasting peers');
  t.equal(turns.takeNext(), newcomer);
  turns.charge(honest, 1);
  now += 60_000;
  turns.add(flood);
  turns.add(honest);
  t.equal(turns.used(flood) < 1e-9, true, 'what was long ago does not count');
  // Both are served equally when both always have messages.
  const served = { flood: 0, honest: 0 };
  for (let i = 0; i < 1_000; i++) {
    const peer = turns.takeNext() as { name: 'flood' | 'honest' };
    served[peer.name]++;
    turns.charge(peer, 1);
    now += 1;
    turns.add(peer);
  }
  t.ok(Math.abs(served.flood - served.honest) < 50, `${served.flood} and ${served.honest}`);
});

/** A socket that accepts as much as the test allows. */
class SlowSocket extends EventEmitter {
  writableLength = 0;
  paused = true;
  destroyed = false;
  readonly pieces: number[] = [];
  setNoDelay(): void {}
  pause(): void {
    this.paused = true;
  }
  resume(): void {
    this.paused = false;
  }
  destroy(): void {
    this.destroyed = true;
  }
  write(bytes: Uint8Array): boolean {
    this.pieces.push(bytes.length);
    this.writableLength += bytes.length;
    return false;
  }
  takeAll(): void {
    this.writableLength = 0;
    this.emit('drain');
  }
}

function connected(traffic: Traffic, { maxSendBytes = 1_000_000, maxReceiveBytes = 5_000_000 } = {}) {
  const socket = new SlowSocket();
  const told = { wakes: 0, faults: [] as string[], closed: false };
  const connection = new SocketConnection(
    socket as unknown as Socket,
    { transport: ({ write }) => new V1Transport(magic, hashes, write), maxSendBytes, maxReceiveBytes, nowSeconds: () => 1, traffic },
    {
      workPending: () => told.wakes++,
      fault: (text) => told.faults.push(text),
      sent: () => {},
      received: () => {},
      closed: () => {
        told.closed = true;
      },
    },
  );
  connection.start();
  return { socket, connection, told };
}

t.test('counts a flood of small messages by its bytes, and pauses reading from the socket', async (t) => {
  const traffic = new Traffic();
  const { socket, connection } = connected(traffic, { maxReceiveBytes: 100_000 });
  const ping = encodeFrame(magic, 'ping', new Uint8Array(8), hashes);
  const many = Buffer.concat(new Array(1_000).fill(ping));
  for (let i = 0; i < 4; i++) socket.emit('data', many);
  t.equal(connection.held, 4 * many.length);
  t.equal(traffic.incoming, connection.held);
  t.equal(socket.paused, true);
  let count = 0;
  while (connection.hasMessage) {
    if (connection.shift()?.command === 'ping') count++;
    if (count === 2_000) t.equal(socket.paused, false, 'the socket is read again below the limit');
  }
  t.equal(count, 4_000);
  t.equal(traffic.incoming, 0);
});

t.test('reads a message to its end despite full buffers, and disconnects on an invalid stream', async (t) => {
  const traffic = new Traffic(null, 1_000);
  const { socket, connection, told } = connected(traffic, { maxReceiveBytes: 10_000 });
  const large = encodeFrame(magic, 'block', new Uint8Array(2_000_000), hashes);
  socket.emit('data', large.subarray(0, 1_000_000));
  t.equal(traffic.incomingFull, true);
  t.equal(socket.paused, false);
  t.equal(connection.hasMessage, false);
  socket.emit('data', large.subarray(1_000_000));
  t.equal(socket.paused, true, 'the message is complete, so reading pauses');
  t.equal(connection.shift(), undefined, 'its checksum takes several steps');
  t.equal(connection.hasWhole, true);
  t.equal(socket.paused, true);
  let message = connection.shift();
  for (let steps = 0; message === undefined && steps < 10; steps++) message = connection.shift();
  t.equal(message?.payload.length, 2_000_000);
  t.equal(socket.paused, false);
  socket.emit('data', new Uint8Array(100));
  t.equal(connection.hasMessage, true, 'invalid bytes have to be parsed');
  t.equal(connection.shift(), undefined);
  t.match(told, { faults: [/MESSAGESTART/], closed: true });
  t.equal(socket.destroyed, true);
  t.equal(traffic.incoming, 0, 'a closed connection holds no bytes');
});

t.test('drops bytes that a socket delivers after the connection was closed', async (t) => {
  const traffic = new Traffic();
  const { socket, connection, told } = connected(traffic);
  const ping = encodeFrame(magic, 'ping', new Uint8Array(8), hashes);
  socket.emit('data', ping);
  t.equal(traffic.incoming, ping.length);
  connection.close();
  t.equal(traffic.incoming, 0);
  const { wakes } = told;
  socket.emit('data', Buffer.concat([ping, ping.subarray(0, 10)]));
  socket.emit('drain');
  socket.emit('close');
  t.same([traffic.incoming, traffic.outgoing, told.wakes - wakes], [0, 0, 0]);
  t.equal(connection.bytesReceived, ping.length);
});

t.test('sends large messages in pieces, and detects a peer that stops reading', async (t) => {
  const traffic = new Traffic(null, 3_000_000);
  const { socket, connection, told } = connected(traffic);
  connection.send('block', new Uint8Array(2_000_000));
  t.ok(Math.max(...socket.pieces) <= 131_072);
  t.equal(connection.unsent, 2_000_024);
  t.equal(traffic.outgoing, 2_000_024);
  t.equal(connection.sendPaused, true);
  let drains = 0;
  for (; connection.unsent > 0; drains++) socket.takeAll();
  t.equal(
    socket.pieces.reduce((a, b) => a + b),
    2_000_024,
  );
  t.ok(drains > 10 && told.wakes === drains);
  t.equal(traffic.outgoing, 0);
  t.equal(connection.stuckMs, 0);
  connection.send('pong', new Uint8Array(8));
  while (connection.stuckMs === 0) await new Promise(setImmediate);
  t.equal(connection.sendPaused, false);
  connection.send('block', new Uint8Array(900_000));
  const other = connected(traffic);
  other.connection.send('block', new Uint8Array(3_000_000));
  t.equal(connection.sendPaused, true, 'other connections hold so much that this one pauses until it drains');
  other.connection.close();
  t.equal(connection.sendPaused, false);
  for (let i = 0; i < 9 && !told.closed; i++) connection.send('block', new Uint8Array(4_000_000));
  t.equal(told.closed, true, 'never more than 32 MB');
  t.equal(traffic.outgoing, 0);
});

function peerWith(id: number, connection: Partial<SocketConnection>, type: Peer['type'] = 'inbound', noban = false): Peer {
  const address = { network: 'ipv4' as const, bytes: new Uint8Array(4), port: id };
  const peer = new Peer(id, type, address, '', '', { ...NO_PERMISSIONS, noban }, 0);
  peer.connection = {
    unsent: 0,
    stuckMs: 0,
    held: 0,
    hasMessage: false,
    holdsWhole: false,
    progressMs: 0,
    ...connection,
  } as SocketConnection;
  return peer;
}

t.test('disconnects idle peers that hold the most buffered bytes when memory is short', async (t) => {
  const traffic = new Traffic(null, 1_000_000);
  const reader = peerWith(1, { unsent: 4_000_000, stuckMs: 100 });
  const stuck = peerWith(2, { unsent: 4_000_000, stuckMs: 6_000 });
  const trusted = peerWith(3, { unsent: 4_000_000, stuckMs: 600_000 }, 'inbound', true);
  const half = peerWith(4, { held: 3_900_000, progressMs: 10_000 });
  const older = peerWith(5, { held: 3_900_000, progressMs: 9_000 });
  const busy = peerWith(6, { held: 3_900_000, holdsWhole: true, progressMs: 0 });
  const peers = [reader, stuck, trusted, half, older, busy];
  const dropped = (nowMs: number) => [...relief(peers, traffic, nowMs).keys()].map(({ id }) => id);
  t.same(dropped(20_000), [], 'memory is below the limit');
  traffic.addOutgoing(2_000_000);
  t.same(dropped(20_000), [2]);
  traffic.addIncoming(2_000_000);
  t.same(dropped(20_000), [2, 5], 'of those with half a message the one that took longest, not all');
  t.same(dropped(12_000), [2], 'a large message may take a while');
  traffic.addOutgoing(-2_000_000);
  traffic.addIncoming(-2_000_000);
  const asleep = peerWith(7, { unsent: 2_000_000, stuckMs: 61_000 });
  t.same([...relief([asleep], traffic, 0).keys()], [asleep], 'a minute without a byte is enough at any time');
});

t.test('stores requested inventory entries in the bytes of the getdata message', async (t) => {
  const wanted = new Wanted();
  t.equal(wanted.some, false);
  const hash = (n: number) => new Uint8Array(32).fill(n);
  wanted.add(
    encodeInv([
      { type: 5, hash: hash(1) },
      { type: 2, hash: hash(2) },
    ]).subarray(1),
  );
  wanted.add(new Uint8Array(0));
  wanted.add(encodeInv([{ type: 1, hash: hash(3) }]).subarray(1));
  const seen: unknown[] = [];
  for (; wanted.some; wanted.drop()) seen.push({ type: wanted.first?.type, hash: wanted.first?.hash[0] });
  t.same(seen, [
    { type: 5, hash: 1 },
    { type: 2, hash: 2 },
    { type: 1, hash: 3 },
  ]);
  t.equal(wanted.first, undefined);
  wanted.drop();
  t.equal(wanted.some, false);
});

t.test('spreads the send rounds of many peers over several event-loop ticks', async (t) => {
  const peers = new Set(Array.from({ length: 30 }, (_, i) => peerWith(i, {})));
  const sent: number[] = [];
  let turns = 0;
  const rounds = new Rounds(peers, ({ id }) => {
    sent.push(id);
  });
  rounds.schedule();
  rounds.schedule();
  // Serving a peer takes a quarter of a millisecond.
  await countingReadings(async () => {
    for (; sent.length < 30 && turns < 1_000; turns++) await new Promise(setImmediate);
  }, 0.25);
  t.same(
    sent,
    Array.from({ length: 30 }, (_, i) => i),
    'everybody once',
  );
  t.equal(turns, 8, 'four peers per tick');
  const [first] = peers as unknown as [Peer];
  rounds.schedule(first);
  rounds.forgetPeer(first);
  await new Promise(setImmediate);
  t.equal(sent.length, 30);
  rounds.stop();
  rounds.schedule();
  await new Promise(setImmediate);
  t.equal(sent.length, 30);
});

t.test('runs one send round per tick when another one is scheduled during it', async (t) => {
  const peers = new Set(Array.from({ length: 8 }, (_, i) => peerWith(i, {})));
  let inTurn = 0;
  let sent = 0;
  const rounds = new Rounds(peers, () => {
    sent++;
    inTurn++;
    if (sent <= 3) rounds.schedule();
  });
  rounds.schedule();
  const most: number[] = [];
  // Serving a peer takes longer than a time slice, so each event-loop tick serves only one.
  await countingReadings(async () => {
    for (let i = 0; i < 50 && (sent < 8 || inTurn > 0); i++) {
      inTurn = 0;
      await new Promise(setImmediate);
      most.push(inTurn);
    }
  }, 5);
  rounds.stop();
  t.equal(Math.max(...most), 1);
});

t.test('limits the announcements that it tracks in total, and reserves a share for each peer', async (t) => {
  const requests = new TxRequests();
  const many = Array.from({ length: 12 }, (_, id) => peerWith(id, {}));
  let n = 0;
  for (const peer of many) {
    for (let i = 0; i < 6_000 && !requests.isFull(peer); i++) {
      const hash = new Uint8Array(32);
      new DataView(hash.buffer).setUint32(0, n++);
      requests.noteAnnounced(peer, hash, true, false, 1_000);
    }
  }
  t.same(
    many.map((peer) => requests.count(peer)),
    [...new Array(10).fill(5_000), 500, 500],
  );
  const [first] = many as [Peer];
  let asked = requests.takeDue(first, 2_000).length;
  t.equal(asked <= 1_000, true, 'not all of it at once');
  for (let i = 0; i < 200; i++) for (const peer of many) asked += requests.takeDue(peer, 2_000).length;
  t.equal(asked, 51_000, 'in the end');
  requests.forgetPeer(first);
  t.equal(requests.isFull(many[11] as Peer), false, 'the peer is below its limit again');
});

t.test('leaves no timers behind for transactions that are no longer awaited', async (t) => {
  const requests = new TxRequests();
  const [one, two] = [peerWith(1, {}), peerWith(2, {})];
  let n = 0;
  const hashes = (count: number): Uint8Array[] =>
    Array.from({ length: count }, () => {
      const hash = new Uint8Array(32);
      new DataView(hash.buffer).setUint32(0, n++);
      return hash;
    });
  for (let round = 0; round < 10; round++) {
    const few = hashes(1_000);
    for (const hash of few) for (const peer of [one, two]) requests.noteAnnounced(peer, hash, true, false, 1_000);
    t.equal(requests.timers, 2_000);
    // Some transactions arrive, some are requested, some requests are answered, and one peer disconnects.
    for (const hash of few.slice(0, 300)) requests.forgetTx(hash);
    t.equal(requests.timers, 1_400);
    for (const peer of [one, two, one, two]) {
      for (const { hash } of requests.takeDue(peer, 2_000)) requests.noteRequested(peer, hash, 60_000);
    }
    t.equal(requests.timers, 700, 'each is asked from one of them');
    for (const hash of few.slice(0, 500)) requests.noteAnswered(one, hash);
    requests.forgetPeer(two);
    t.equal(requests.timers, requests.countInFlight(one));
    requests.forgetPeer(one);
    t.equal(requests.timers, 0);
    t.equal(requests.size, 0);
  }
});

t.test('limits the log lines that peers can cause, and reports how many were omitted', async (t) => {
  let now = 0;
  const lines: string[] = [];
  const log = limitedLog({ ...silentLogger, info: (line) => lines.push(line), warn: (line) => lines.push(line) }, () => now);
  for (let i = 0; i < 10_000; i++) log.info(`line ${i}`);
  t.equal(lines.length, 200);
  now += 10_000;
  log.warn('later');
  t.match(lines.slice(200), [/Omitted 9800 lines about peers/, 'later']);
});

t.test('releases the memory of a long message although a few bytes follow it in the queue', async (t) => {
  const queue = new ByteQueue();
  const sent = new Uint8Array(4_000_003).fill(7);
  sent.set([1, 2, 3], 4_000_000);
  queue.push(sent);
  t.equal(queue.takeBytes(4_000_000).length, 4_000_000);
  t.equal(queue.length, 3);
  t.ok(queue.peek(1).buffer.byteLength <= 65_536);
  queue.push(Uint8Array.of(4));
  t.same([...queue.takeBytes(4)], [1, 2, 3, 4]);
});

t.test('does not grow while a send queue is never completely empty', async (t) => {
  // A socket that accepts everything, and a peer that always has more to send.
  const socket = { writableLength: 0, write: (bytes: Uint8Array) => void (socket.writableLength += bytes.length) };
  const traffic = new Traffic();
  const queue = new SendQueue(
    socket as never,
    traffic,
    () => 0,
    () => {},
  );
  let most = 0;
  for (let round = 0; round < 1_000; round++) {
    for (let i = 0; i < 100; i++) queue.push(new Uint8Array(2_000));
    // The socket takes at most two chunks, so the queue never becomes empty.
    while (queue.bytes - socket.writableLength > 200_000) {
      socket.writableLength = 0;
      queue.drained();
    }
    if (queue.bytes === socket.writableLength) t.fail('nothing waits');
    most = Math.max(most, queue.places);
  }
  t.ok(most < 5_000, `${most} places for 100,000 messages`);
  queue.clear();
  t.equal(traffic.outgoing, 0);
});
