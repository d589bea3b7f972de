// Tests connections with sockets on this thread and on their own thread: both behave the same. Also tests bundles of
// messages, and a thread that ends.
import net from 'node:net';
import t, { type Test } from 'tap';
import { silentLogger } from '../../../../src/log/logger.js';
import { DEFAULT_NET } from '../../../../src/net/options.js';
import { Connector } from '../../../../src/net/peer/connector.js';
import { Routes } from '../../../../src/net/peer/routes.js';
import { BundleReader, type PackedMessage, packedBytes, packMessages } from '../../../../src/net/thread/bundle.js';
import { POSTED_BYTES, postedWeight } from '../../../../src/net/thread/messages.js';
import { fc } from '../../../framework/fast-check.js';
import { freePort } from '../../../framework/ports.js';
import { until } from '../../../framework/until.js';
import { connectionSuite, inlineFactory, Owner, stranger, TIMEOUT_MS, threadedFactory } from './connection-suite.js';

const LOCAL = '127.0.0.1';

t.test('connections on the main thread', async (t) => connectionSuite(t, inlineFactory));
t.test('connections on a separate thread', async (t) => connectionSuite(t, threadedFactory));

t.test('unpacks messages of a bundle as they were packed', async (t) => {
  const bytes = (options: fc.IntArrayConstraints) => fc.uint8Array(options).map((array) => new Uint8Array(array));
  const message = fc.record({
    connection: fc.nat({ max: 2 ** 32 - 1 }),
    command: fc.oneof(fc.constantFrom('tx', 'block', 'wtxidrelay'), fc.stringMatching(/^[!-~]{1,12}$/)),
    payload: bytes({ maxLength: 300 }),
    left: fc.nat({ max: 5 }),
    size: fc.nat({ max: 2 ** 32 - 1 }),
    hash: fc.option(bytes({ minLength: 32, maxLength: 32 })),
  });
  fc.assert(
    fc.property(fc.array(message), fc.boolean(), (list, copies) => {
      const messages: PackedMessage[] = list.map(({ left, ...rest }) =>
        left === 5 ? { ...rest, length: rest.payload.length + 7, payload: new Uint8Array(0) } : { ...rest, length: rest.payload.length },
      );
      const total = messages.reduce((sum, one) => sum + packedBytes(one), 0);
      const bundle = packMessages(messages, total);
      const reader = new BundleReader(bundle);
      const read: PackedMessage[] = [];
      while (!reader.done) read.push(reader.next(copies));
      if (copies) bundle.fill(0);
      const plain = ({ payload, hash, ...rest }: PackedMessage) => ({ ...rest, payload: [...payload], hash: hash && [...hash] });
      t.same(read.map(plain), messages.map(plain));
    }),
  );
});

t.test('pauses a connection that has posted its share to the thread, and wakes it afterwards', async (t) => {
  const { lines, traffic } = threadedFactory();
  const { owner, socket } = await stranger(lines);
  let read = 0;
  socket.on('data', (chunk: Buffer) => {
    read += chunk.length;
  });
  // The thread receives nothing before this event-loop tick ends.
  let sent = 0;
  for (; !owner.line.sendPaused; sent++) owner.line.send('pong', new Uint8Array(8));
  t.equal(sent, Math.floor(POSTED_BYTES / postedWeight(8)) + 1);
  t.equal(traffic.outgoing, sent * postedWeight(8));
  await until('room', () => owner.wakes === 1);
  t.equal(owner.line.sendPaused, false);
  await until('all of it', () => read === sent * 32);
  await until('nothing left', () => traffic.outgoing === 0);
  await lines.close();
});

t.test('closes the connections of a thread that ended, and restarts it on the same port', async (t) => {
  const lines: string[] = [];
  const note = (text: string): void => void lines.push(text);
  const log = { info: note, warn: note, error: note, debug: () => {}, shows: () => false };
  let again = (): void => {};
  const made = threadedFactory(
    {
      entry: new URL('dying-peers.js', import.meta.url),
      log,
      after: (_, run) => {
        again = run;
        return () => {};
      },
    },
    false,
  );
  const { owner, socket } = await stranger(made.lines, false);
  const { remotePort } = socket;
  socket.write(Buffer.alloc(23));
  await until('bytes', () => made.traffic.incoming === 23);
  const dead = made.lines.open({ host: '127.0.0.1', port: 1 }, null, TIMEOUT_MS);
  await t.rejects(dead, /the peers' thread ended: it ended with code 3/);
  t.same([owner.ended, owner.line.closed], [1, true]);
  owner.line.send('ping', new Uint8Array(8));
  owner.line.close();
  t.equal(owner.ended, 1);
  await until('nothing held', () => made.traffic.incoming === 0 && made.traffic.outgoing === 0);
  await t.rejects(made.lines.open({ host: '127.0.0.1', port: remotePort as number }, null, TIMEOUT_MS), /is being restarted/);
  again();
  await until('another thread', () => lines.some((line) => line.includes('served again')));
  const { connection: line } = await made.lines.open({ host: '127.0.0.1', port: remotePort as number }, null, TIMEOUT_MS);
  const caller = new Owner(line, { encrypted: false, initiating: true });
  caller.line.send('ping', new Uint8Array(8));
  await until('what was sent to go', () => caller.line.bytesSent === 32);
  await made.lines.close();
  t.match(lines, [/^Peers: The thread that serves clients ended: it ended with code 3\. adit restarts it\.$/, /served again/]);
});

t.test('gives up a thread that does not respond', async (t) => {
  let look = (): void => {};
  const made = threadedFactory(
    {
      entry: new URL('dying-peers.js', import.meta.url),
      every: (run) => {
        look = run;
        return () => {};
      },
    },
    false,
  );
  const { owner } = await stranger(made.lines);
  const hanging = made.lines.open({ host: '127.0.0.1', port: 2 }, null, TIMEOUT_MS).catch((error: Error) => error);
  await new Promise(setImmediate);
  for (let i = 0; i < 20; i++) look();
  t.match(await hanging, { message: /the peers' thread ended/ });
  t.equal(owner.ended, 1);
  await made.lines.close();
});

t.test('rejects the first listen call when the thread cannot be loaded', async (t) => {
  const made = threadedFactory({ entry: new URL('no-such-file.js', import.meta.url) });
  await t.rejects(
    made.lines.listen({ host: '127.0.0.1', port: 0 }, () => {}),
    /no-such-file/,
  );
  await made.lines.close();
});

/** Makes connections whose thread fails from now on. The test runs the timers. */
function faulty(t: Test) {
  const lines: string[] = [];
  const note = (text: string): void => void lines.push(text);
  const timers: (() => void)[] = [];
  let again = 0;
  const made = threadedFactory(
    {
      entry: new URL('dying-peers.js', import.meta.url),
      log: { info: note, warn: note, error: note, debug: () => {}, shows: () => false },
      after: (_, run) => {
        timers.push(run);
        return () => timers.splice(0);
      },
      startedAgain: () => again++,
    },
    false,
  );
  t.teardown(() => {
    delete process.env.PEERS_FAULT;
  });
  const due = async (): Promise<void> => {
    await until('a timer', () => timers.length > 0);
    timers.shift()!();
  };
  const die = () => made.lines.open({ host: LOCAL, port: 1 }, null, TIMEOUT_MS).catch((error: Error) => error);
  return { ...made, log: lines, due, die, again: () => again, faultIs: (name: string) => void (process.env.PEERS_FAULT = name) };
}

t.test('starts the thread again on the next call after a failed start', async (t) => {
  const world = faulty(t);
  world.faultIs('load');
  await t.rejects(world.lines.open({ host: LOCAL, port: 9 }, null, TIMEOUT_MS), /code 4/);
  t.equal(world.lines.ready, true);
  t.match(world.log, [/^The peers' thread cannot be started: it ended with code 4$/]);
  world.faultIs('');
  const port = await world.lines.listen({ host: LOCAL, port: await freePort() }, ({ connection: line }) => line.drop());
  t.ok(port > 0);
  await world.lines.close();
});

t.test('listens again after the thread ended while it started to listen', async (t) => {
  const world = faulty(t);
  world.faultIs('listen');
  const listening = world.lines.listen({ host: LOCAL, port: await freePort() }, ({ connection: line }) => line.drop());
  await until('its end', () => !world.lines.ready);
  world.faultIs('');
  await world.due();
  const port = await listening;
  await until('a call', () => world.again() === 1);
  await world.lines.open({ host: LOCAL, port }, null, TIMEOUT_MS);
  await world.lines.close();
});

t.test('does not count the buffers of a thread that ended, even during its start', async (t) => {
  const world = faulty(t);
  const { owner, socket } = await stranger(world.lines, false);
  await world.lines.listen({ host: LOCAL, port: await freePort() }, ({ connection: line }) => line.drop());
  socket.pause();
  socket.write(Buffer.alloc(23));
  for (let i = 0; i < 8; i++) owner.line.send('block', new Uint8Array(1_000_000));
  await until('bytes both ways', () => world.traffic.incoming === 23 && world.traffic.outgoing > 0);
  world.faultIs('listen');
  await world.die();
  t.equal(owner.ended, 1);
  await world.due();
  await until('another end', () => world.log.filter((line) => line.includes('ended')).length === 2);
  world.faultIs('');
  await world.due();
  await until('another thread', () => world.lines.ready);
  t.same([world.traffic.incoming, world.traffic.outgoing], [0, 0]);
  await world.lines.close();
});

t.test('restarts the other listeners when another program has taken one port', async (t) => {
  const world = faulty(t);
  const [taken, free] = [
    await world.lines.listen({ host: LOCAL, port: await freePort() }, ({ connection: line }) => line.drop()),
    await world.lines.listen({ host: LOCAL, port: await freePort() }, ({ connection: line }) => line.drop()),
  ];
  await world.die();
  const other = net.createServer((socket) => socket.destroy());
  await new Promise<void>((resolve) => other.listen(taken, LOCAL, resolve));
  await world.due();
  await until('a line of the log', () => world.log.some((line) => /^Cannot listen on .*EADDRINUSE/.test(line)));
  await world.lines.open({ host: LOCAL, port: free as number }, null, TIMEOUT_MS);
  await new Promise((resolve) => other.close(resolve));
  await world.due();
  await until('a connection', () =>
    world.lines.open({ host: LOCAL, port: taken as number }, null, TIMEOUT_MS).then(
      () => true,
      () => false,
    ),
  );
  await world.lines.close();
});

t.test('closes although the thread does not respond during its start', async (t) => {
  const world = faulty(t);
  world.faultIs('hang');
  const opening = world.lines.open({ host: LOCAL, port: 9 }, null, TIMEOUT_MS).catch((error: Error) => error);
  await world.lines.close();
  t.type(await opening, Error);
});

t.test("reports a missing peers' thread as such, not as a port that is in use", async (t) => {
  const failing = (error: Error, required = false) => {
    const options = { ...DEFAULT_NET, binds: [{ host: LOCAL, port: 1, permissions: null, onion: false, required }] };
    const fail = async (): Promise<never> => {
      throw error;
    };
    const lines = { ready: true, open: fail, listen: fail, close: async () => {} };
    return new Connector(options, new Routes(options), { factory: lines, i2p: null }, 8_333, silentLogger).listen(() => {});
  };
  await t.rejects(failing(new Error('no thread')), { name: 'BindError', message: 'Peers cannot be served: no thread' });
  const taken = Object.assign(new Error('taken'), { code: 'EADDRINUSE' });
  await t.rejects(failing(taken, true), {
    message: `Unable to bind to ${LOCAL}:1 on this computer. adit is probably already running. Choose another -port or -bind, or use -listen=0.`,
  });
  await t.rejects(failing(taken), { message: 'Failed to listen on any port. Choose another -port, or use -listen=0.' });
});
