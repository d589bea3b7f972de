// Tests outbound peers. Those for blocks only leave no trace in messages to others. Inbound peers do not replace the
// last outbound peer that announces blocks at once.
import t from 'tap';
import { type NetAddress, parseHost } from '../../../src/net/wire/net-address.js';
import { type BuiltBlock, buildBlock } from '../../framework/chain-builder.js';
import { type FakePeer, NetWorld } from '../../framework/net-world.js';
import { headersPayload } from '../../framework/p2p-client.js';

t.test('updates an address when its peer disconnects, except for block-relay-only peers', async (t) => {
  const world = await NetWorld.open();
  t.teardown(() => world.end());
  const { clock } = world.fixture;
  const shown = (): Record<string, number> =>
    Object.fromEntries(world.net.transport.addresses.sample(1_000, 100).map(({ bytes, time }) => [bytes.join('.'), clock.seconds - time]));
  const hosts = { '8.1.0.1': 'outbound-full-relay', '9.1.0.1': 'block-relay-only' } as const;
  for (const host of Object.keys(hosts)) {
    const address = parseHost(host, 18_444) as NetAddress;
    world.net.transport.addresses.add({ ...address, time: clock.seconds - 7_200, services: 9n }, address);
  }
  for (const [host, type] of Object.entries(hosts)) {
    const peer = await world.host(host, {}, type);
    peer.close();
    await peer.ended();
    await world.pass(0);
  }
  t.same(shown(), { '8.1.0.1': 0, '9.1.0.1': 7_200 });
});

/** Returns the peer's last instruction to announce blocks at once; undefined if it got none. */
const wantedFrom = (peer: FakePeer): boolean | undefined => {
  const told = peer.received.findLast(({ command, payload }) => command === 'sendcmpct' && payload.length === 9);
  return told === undefined ? undefined : told.payload[0] === 1;
};

t.test('keeps an outbound peer among the three high-bandwidth compact block peers', async (t) => {
  const world = await NetWorld.open();
  t.teardown(() => world.end());
  const chosen = await world.host('8.1.0.1');
  const guests: FakePeer[] = [];
  for (let i = 0; i < 5; i++) guests.push(await world.guest({}, `9.${i}.0.1`));
  for (const { peer } of [chosen, ...guests]) peer.compact.provides = true;
  const good = async (one: FakePeer): Promise<void> => {
    world.net.relay.highBandwidth.onGoodBlock(one.peer);
    await world.round();
  };
  await good(chosen);
  for (const guest of guests) await good(guest);
  t.equal(wantedFrom(chosen), true);
  t.equal(chosen.peer.compact.highBandwidth, true);
  t.same(
    guests.map((guest) => guest.peer.compact.highBandwidth),
    [false, false, false, true, true],
    'three at a time',
  );
  t.same(guests.map(wantedFrom), [false, false, false, true, true]);
  // Another outbound peer may take the place of the first one.
  const second = await world.host('8.2.0.1');
  second.peer.compact.provides = true;
  await good(second);
  await good(guests[0] as FakePeer);
  await good(guests[1] as FakePeer);
  t.equal([chosen, second].filter(({ peer }) => peer.compact.highBandwidth).length, 1);
});

t.test('requests whole blocks and no high-bandwidth announcements with -blocksonly', async (t) => {
  for (const blocksOnly of [true, false]) {
    const world = await NetWorld.open({ net: { blocksOnly } });
    const [, tip] = (await world.grow(2)) as [BuiltBlock, BuiltBlock];
    const chosen = await world.host('8.1.0.1');
    chosen.peer.compact.provides = true;
    world.net.relay.highBandwidth.onGoodBlock(chosen.peer);
    await world.round();
    t.equal(chosen.peer.compact.highBandwidth, !blocksOnly);
    t.equal(wantedFrom(chosen) === true, !blocksOnly);
    chosen.take();
    chosen.send('headers', headersPayload([buildBlock(tip, { time: tip.time + 1 }).header]));
    // Type 4 is a compact block, 0x40000002 a whole one with witnesses. Hashes are in internal byte order.
    t.equal((await chosen.next('getdata')).readUInt32LE(1), blocksOnly ? 0x40000002 : 4);
    await world.end();
  }
});

t.test('makes one connection of two simultaneous attempts to reach the same address', async (t) => {
  const world = await NetWorld.open();
  t.teardown(() => world.end());
  const calls = ['8.1.0.1:18444', '8.1.0.1:18444', '8.2.0.1:18444'].map((name) => world.net.transport.connections.connect(name, 'manual'));
  const made = await Promise.all(calls);
  t.same(
    made.map((peer) => peer !== null),
    [true, false, true],
  );
  t.equal(world.net.peers.length, 2);
});
