// Limits of the serving thread by time, bytes and address. The clock belongs to the test.
import t from 'tap';
import { reserveKey } from '../../../../src/mining/messages.js';
import { sourceOf } from '../../../../src/mining/serve/source.js';
import { Sv2Client } from '../../../framework/sv2-client.js';
import { driven, LEAST } from './rig.js';

const KEYS = [reserveKey(LEAST)];
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const OUTPUTS = 60_000;

t.test('disconnects a client that takes over fifteen seconds for a setup step', async (t) => {
  const world = driven(t);
  const open = await world.client();
  const [silent, waiting] = [world.connect(), world.connect()];
  const later = async (ms: number): Promise<void> => {
    world.nowMs += ms;
    world.server.sweep();
    await turn();
  };
  await later(14_999);
  t.same([silent.destroyed, waiting.destroyed], [false, false]);
  // Act 1 of this client has arrived and is not processed yet.
  const shy = Sv2Client.over(waiting);
  await new Promise<void>((resolve) => process.nextTick(resolve));
  await later(1);
  t.same([silent.destroyed, (await shy).closed], [true, false]);
  await later(14_999);
  t.notOk((await shy).closed, 'SetupConnection has fifteen seconds of its own');
  await later(1);
  await (await shy).ended();
  t.equal(world.lines().filter((line) => line.includes('no SetupConnection within 15 seconds')).length, 2);
  await later(1_000_000);
  t.notOk(open.closed, 'a client that has set up may be silent for ever');
});

t.test('accepts hundreds of clients that connect at once', async (t) => {
  const world = driven(t);
  const clients = await Promise.all(Array.from({ length: 300 }, () => world.client()));
  t.equal(clients.filter(({ closed }) => closed).length, 0);
  t.equal(world.counters.read().clientsOpen, 300);
});

t.test('disconnects a client that reads nothing for a minute', async (t) => {
  const world = driven(t);
  const [stuck, slow, honest] = [await world.client(), await world.client(), await world.client()];
  stuck.socket.pause();
  slow.socket.pause();
  for (let i = 0; i < 4; i++) world.publish(KEYS, 0, OUTPUTS);
  world.server.sweep();
  for (let second = 0; second < 60; second++) {
    world.nowMs += 1_000;
    // The client reads one message, and two more are on their way.
    if (second % 20 === 10) {
      slow.socket.once('data', () => slow.socket.pause());
      slow.socket.resume();
      await turn();
      for (let i = 0; i < 2; i++) world.publish(KEYS, 0, OUTPUTS);
    }
    world.server.sweep();
  }
  await turn();
  t.same([stuck.closed, slow.closed, honest.closed], [false, false, false]);
  world.nowMs += 1;
  world.server.sweep();
  await stuck.ended();
  t.same([slow.closed, honest.closed], [false, false], 'one that reads slower than templates come has not stopped');
  t.match(
    world.lines().filter((line) => line.includes('it reads nothing')),
    { length: 1 },
  );
  world.nowMs += 60_001;
  world.server.sweep();
  await slow.ended();
  t.notOk(honest.closed);
  t.same(honest.wrongs, []);
});

t.test('disconnects slow clients when 128 MiB wait for all of them', async (t) => {
  const world = driven(t);
  const crowd: Sv2Client[] = [];
  while (crowd.length < 36) crowd.push(await world.client());
  const honest = await world.client();
  for (const client of crowd) client.socket.pause();
  // Lines about those that came are another second's.
  world.server.sweep();
  const unread = (): number => {
    world.server.sweep();
    return world.counters.read().unreadBytes;
  };
  // As much as each may have by itself.
  for (let i = 0; i < 62; i++) world.publish(KEYS, 0, OUTPUTS);
  await turn();
  t.same(
    crowd.filter(({ closed }) => closed),
    [],
    'none has too much by itself',
  );
  world.publish(KEYS, 0, OUTPUTS);
  const left = unread();
  t.ok(left <= 128 * 1024 * 1024, `${left} bytes`);
  await turn();
  const closed = crowd.filter((client) => client.closed).length;
  t.ok(closed >= 1 && closed <= 3, `${closed} of 36 were closed, and others keep what they have`);
  t.match(
    world.lines().filter((line) => /\d+ bytes wait for all clients, \d+ of them for it/.test(line)),
    { length: closed },
  );
  await honest.told(() => honest.all.filter(({ kind }) => kind === 'template').length >= 65);
  t.notOk(honest.closed);
});

t.test('limits connections from one address, and drops the oldest idle one first', async (t) => {
  const world = driven(t, 3);
  const first = await world.client('192.0.2.7');
  const idle = [world.connect('::ffff:192.0.2.7'), world.connect('192.0.2.7')];
  const second = await world.client('192.0.2.7');
  await turn();
  t.same(
    idle.map(({ destroyed }) => destroyed),
    [true, false],
    'the oldest that only opened gives way',
  );
  const third = await world.client('192.0.2.7');
  const refused = world.connect('192.0.2.7');
  await turn();
  t.ok(refused.destroyed, 'clients give way to none');
  t.match(world.lines().at(-1), 'a connection from 192.0.2.7 was refused, 3 are open from there (-sv2peraddress)');
  t.equal(world.counters.read()['closed limit'], 3);
  t.same([first.closed, second.closed, third.closed], [false, false, false]);
  await world.client('192.0.2.8');
  first.close();
  await turn();
  await world.client('192.0.2.7');
  // A pool on the same machine is not bounded by its address.
  for (let i = 0; i < 10; i++) await world.client('127.0.0.1');
  for (let i = 0; i < 10; i++) await world.client('198.51.100.1');
  t.equal(world.counters.read().clientsOpen, 24);
});

t.test('groups addresses by IPv4 address or IPv6 /64, and exempts the local machine', async (t) => {
  t.equal(sourceOf('127.0.0.1', '127.0.0.1'), null);
  t.equal(sourceOf('127.0.0.9', '127.0.0.1'), null);
  t.equal(sourceOf('::1', '::1'), null);
  t.equal(sourceOf('::ffff:127.0.0.1', '::ffff:127.0.0.1'), null);
  t.equal(sourceOf('192.0.2.1', '192.0.2.1'), null, 'the machine itself, by its other address');
  t.equal(sourceOf('192.0.2.1', '198.51.100.1'), '192.0.2.1');
  t.equal(sourceOf('::ffff:192.0.2.1', '::ffff:198.51.100.1'), '192.0.2.1');
  t.equal(sourceOf('2001:db8:1:2:3:4:5:6', '2001:db8::1'), '2001:db8:1:2::/64');
  t.equal(sourceOf('2001:db8:1:2::6', '2001:db8::1'), '2001:db8:1:2::/64');
  t.equal(sourceOf('2001:db8::6', '2001:db8::1'), '2001:db8:0:0::/64');
  t.equal(sourceOf('fe80::1%eth0', 'fe80::2%eth0'), 'fe80:0:0:0::/64');
  t.equal(sourceOf('::6', '2001:db8::1'), '0:0:0:0::/64');
  t.equal(sourceOf(undefined, '127.0.0.1'), '', 'disconnected before its address was read');
});
