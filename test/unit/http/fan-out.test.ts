// Tests the order in which the fan-out serves clients, with simulated sockets that accept as many bytes as a test
// allows.
import t from 'tap';
import type { Exchange } from '../../../src/http/front/exchange.js';
import { FanOut } from '../../../src/http/front/fan-out.js';

const MB = 1024 * 1024;

/** A client whose socket takes a given number of bytes until the test reads from it. */
class FakeExchange {
  offset = 0;
  total = -1;
  room = Number.POSITIVE_INFINITY;
  released = 0;
  pushes = 0;
  onDisconnect: (() => void) | null = null;
  closed = false;
  #writable = () => {};

  constructor(
    readonly name: string,
    readonly log: string[],
  ) {}

  startPieces(_type: string, _extra: unknown, onWritable: () => void): boolean {
    this.#writable = onWritable;
    return !this.closed;
  }

  push(pieces: readonly Uint8Array[], total: number): number {
    if (this.closed) return -1;
    this.pushes++;
    for (const piece of pieces) {
      // Each byte of the body tells its position.
      for (const at of [0, piece.length - 1]) if (piece[at] !== (this.offset + at) % 251) throw new Error(`${this.name}: wrong byte`);
      const taken = Math.min(piece.length, this.room);
      this.offset += taken;
      this.room -= taken;
      if (taken < piece.length) break;
    }
    if (this.offset === total) this.log.push(this.name);
    return this.offset;
  }

  read(bytes: number): void {
    this.room += bytes;
    this.#writable();
  }

  close(): void {
    this.closed = true;
    this.onDisconnect?.();
  }
}

const pattern = new Uint8Array(24 * MB);
for (let at = 0; at < pattern.length; at++) pattern[at] = at % 251;

/** Sends a body of a head, a middle and a tail. @param slab below zero: the body belongs to this client alone */
function send(fanOut: FanOut, client: FakeExchange, total: number, slab = 0): void {
  const parts = [pattern.subarray(0, 600), pattern.subarray(600, total - 100), pattern.subarray(total - 100, total)];
  fanOut.send(client as unknown as Exchange, 'application/json', { parts, slabIndex: slab, release: () => void client.released++ });
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

async function untilEmpty(fanOut: FanOut): Promise<void> {
  for (let turns = 0; fanOut.size > 0; turns++) {
    if (turns === 10_000) throw new Error('nothing goes on');
    await turn();
  }
}

t.test('sends to one client after another, in order, a bounded number of bytes per tick', async (t) => {
  const fanOut = new FanOut();
  const log: string[] = [];
  const clients = Array.from({ length: 10 }, (_, i) => new FakeExchange(`${i}`, log));
  for (const client of clients) send(fanOut, client, 3 * MB);
  await turn();
  t.equal(
    clients.reduce((sum, { offset }) => sum + offset, 0),
    MB,
    'bytes of one tick',
  );
  t.equal(clients[0].offset, MB);
  await untilEmpty(fanOut);
  t.same(log, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map(String));
  t.ok(clients.every(({ released, offset }) => released === 1 && offset === 3 * MB));
  t.ok(
    clients.every(({ pushes }) => pushes <= 7),
    'head and tail go with their neighbours',
  );
});

t.test('skips a full socket, and continues with it as soon as it drains', async (t) => {
  const fanOut = new FanOut();
  const log: string[] = [];
  const [full, ...others] = Array.from({ length: 30 }, (_, i) => new FakeExchange(`${i}`, log));
  full.room = MB / 2;
  send(fanOut, full, 3 * MB);
  for (const client of others) send(fanOut, client, 3 * MB);
  for (let i = 0; i < 10; i++) await turn();
  t.equal(full.offset, MB / 2);
  t.match(log, ['1', '2']);
  full.read(10 * MB);
  await untilEmpty(fanOut);
  t.ok(log.indexOf('0') < 8, `begun before the others: place ${log.indexOf('0')}`);
  t.equal(log.length, 30);
});

t.test('sends light replies before heavy ones, which still make progress', async (t) => {
  const fanOut = new FanOut();
  const log: string[] = [];
  for (let i = 0; i < 100; i++) send(fanOut, new FakeExchange(`heavy ${i}`, log), 3 * MB);
  await turn();
  send(fanOut, new FakeExchange('light', log), MB / 2);
  await turn();
  await turn();
  t.same(log, ['light']);
  // Many clients with little load get half of every event-loop tick.
  const light = Array.from({ length: 40 }, (_, i) => new FakeExchange(`light ${i}`, log));
  for (const client of light) send(fanOut, client, MB / 2);
  while (!log.includes('light 39')) await turn();
  t.ok(log.includes('heavy 4'), 'heavy replies were finished meanwhile');
  await untilEmpty(fanOut);
  t.equal(log.length, 141);
});

t.test('finishes other replies before one that is very long', async (t) => {
  const fanOut = new FanOut();
  const log: string[] = [];
  send(fanOut, new FakeExchange('huge', log), 24 * MB);
  for (let i = 0; i < 3; i++) send(fanOut, new FakeExchange(`${i}`, log), 3 * MB);
  await untilEmpty(fanOut);
  t.same(log, ['0', '1', '2', 'huge']);
});

t.test('forgets clients that leave, and evict cuts off the readers of one slab', async (t) => {
  const said: boolean[] = [];
  const fanOut = new FanOut((crowded) => said.push(crowded));
  const log: string[] = [];
  const clients = Array.from({ length: 31 }, (_, i) => new FakeExchange(`${i}`, log));
  for (const [i, client] of clients.entries()) {
    client.room = i % 2 === 0 ? Number.POSITIVE_INFINITY : 1000;
    send(fanOut, client, 2 * MB, i % 2);
  }
  t.same(said, [], 'not a crowd yet');
  const last = new FakeExchange('last', log);
  last.room = 1000;
  send(fanOut, last, 2 * MB, 1);
  t.same(said, [true]);
  clients[0].close();
  t.equal(clients[0].released, 1);
  for (let i = 0; i < 80; i++) await turn();
  t.equal(log.length, 15, 'each client that reads has all of it');
  t.same(said, [true, false], 'reported once each way; clients that do not read are not counted');
  t.equal(fanOut.evict(1), 16);
  t.equal(fanOut.size, 0);
  t.ok([...clients, last].every(({ released }) => released === 1));
});

t.test('cuts off clients that read nothing for ten seconds, but not slow readers', async (t) => {
  let nowMs = 0;
  const fanOut = new FanOut(undefined, () => nowMs);
  const log: string[] = [];
  const slow = (name: string): FakeExchange => {
    const client = new FakeExchange(name, log);
    client.room = MB;
    send(fanOut, client, 6 * MB, -1);
    return client;
  };
  const reads = async (client: FakeExchange): Promise<void> => {
    client.read(100_000);
    await turn();
  };
  const first = slow('first');
  const second = slow('second');
  t.same([first.closed, second.closed, fanOut.heldBytes], [false, false, 12 * MB], 'both have only begun');
  nowMs = 9500;
  await reads(first);
  nowMs = 10_500;
  const third = slow('third');
  t.same([first.closed, second.closed, third.closed], [false, true, false], 'nothing read for ten seconds');
  t.equal(second.released, 1);
  // A client is not closed for time in which it waited for a slice, although it would have read.
  nowMs = 25_000;
  first.room = 100_000;
  await reads(third);
  const fourth = slow('fourth');
  t.same([first.closed, fourth.closed, fanOut.cutOff], [false, false, 1]);
  const others = Array.from({ length: 39 }, (_, i) => slow(`other ${i}`));
  t.equal(fanOut.heldBytes, 252 * MB);
  const last = slow('last');
  t.same([third.closed, fanOut.cutOff, fanOut.heldBytes], [true, 2, 252 * MB], 'the bound of all together');
  for (const client of [first, fourth, ...others, last]) client.read(6 * MB);
  await untilEmpty(fanOut);
  t.equal(log.length, 42);
  t.equal(fanOut.heldBytes, 0);
});

t.test("counts partial writes against the bytes of a tick and against each client's share", async (t) => {
  const fanOut = new FanOut();
  const log: string[] = [];
  const clients = Array.from({ length: 200 }, (_, i) => new FakeExchange(`${i}`, log));
  for (const client of clients) {
    client.room = 100_000;
    send(fanOut, client, 2 * MB);
  }
  await turn();
  const sent = clients.reduce((sum, { offset }) => sum + offset, 0);
  t.ok(sent >= MB && sent < MB + 100_000, `${sent} bytes in a tick`);
  for (const client of clients) client.close();

  const slow = Array.from({ length: 4 }, (_, i) => new FakeExchange(`slow ${i}`, log));
  for (const client of slow) {
    client.room = 400_000;
    send(fanOut, client, 24 * MB);
  }
  await turn();
  await turn();
  send(fanOut, new FakeExchange('late', log), 3 * MB);
  for (let i = 0; i < 60 && log.length === 0; i++) {
    for (const client of slow) {
      client.room = 400_000;
      client.read(0);
    }
    await turn();
  }
  t.same(log, ['late'], 'it passes replies that began long ago');
});

t.test('counts a compressed template once, however many clients read it', async (t) => {
  const fanOut = new FanOut();
  const log: string[] = [];
  const shared = pattern.subarray(600, 1.5 * MB);
  const clients = Array.from({ length: 100 }, (_, i) => new FakeExchange(`${i}`, log));
  for (const client of clients) {
    client.room = 200_000;
    const parts = [pattern.subarray(0, 600), shared, pattern.subarray(1.5 * MB, 1.5 * MB + 100)];
    fanOut.send(client as unknown as Exchange, 'application/json', { parts, slabIndex: -1, shared, release: () => void client.released++ });
  }
  t.equal(fanOut.heldBytes, shared.length + 100 * 700);
  t.equal(fanOut.cutOff, 0);
  for (const client of clients) client.read(2 * MB);
  await untilEmpty(fanOut);
  t.equal(log.length, 100);
  t.equal(fanOut.heldBytes, 0);
});

t.test('completes several large replies while their clients read', async (t) => {
  const clock = { ms: 0 };
  const fanOut = new FanOut(
    () => {},
    () => clock.ms,
  );
  const log: string[] = [];
  const clients = Array.from({ length: 4 }, (_, i) => new FakeExchange(`${i}`, log));
  for (const client of clients) {
    client.room = 200_000;
    send(fanOut, client, 20 * MB, -1);
  }
  for (; log.length < 4; clock.ms += 10) {
    for (const client of clients) if (!client.closed && client.offset < 20 * MB) client.read(500_000);
    await turn();
    if (clients.some(({ closed }) => closed)) break;
  }
  t.equal(fanOut.cutOff, 0);
  t.equal(log.length, 4);
});

t.test('closes a socket that throws, and serves the others', async (t) => {
  const fanOut = new FanOut();
  const log: string[] = [];
  const faults: unknown[] = [];
  const received = (fault: unknown): void => void faults.push(fault);
  process.on('uncaughtException', received);
  t.teardown(() => process.off('uncaughtException', received));
  const clients = ['a', 'broken', 'b', 'c'].map((name) => new FakeExchange(name, log));
  const broken = clients[1]!;
  broken.push = () => {
    throw new Error('no socket');
  };
  for (const client of clients) send(fanOut, client, 3 * MB);
  await untilEmpty(fanOut);
  t.same(log, ['a', 'b', 'c']);
  t.match(faults, [{ message: 'no socket' }]);
  t.ok(broken.closed);
  t.same(
    clients.map(({ released }) => released),
    [1, 1, 1, 1],
  );
});
