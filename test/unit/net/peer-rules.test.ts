// How peers are treated since Core's versions 22 and 28, against the whole network room: a fault costs the connection,
// addresses are told to peers that speak of addresses, and a peer that was called for its addresses has one task.
import t, { type Test } from 'tap';
import { decodeAddr, encodeAddr } from '../../../src/net/wire/messages.js';
import { hostText, parseHost } from '../../../src/net/wire/net-address.js';
import { buildChain, GENESIS } from '../../framework/chain-builder.js';
import { NetWorld, type WorldOptions } from '../../framework/net-world.js';
import { headersPayload, versionPayload } from '../../framework/p2p-client.js';

async function open(t: Test, options: WorldOptions = {}): Promise<NetWorld> {
  const world = await NetWorld.open(options);
  t.teardown(() => world.end());
  return world;
}

const addresses = (world: NetWorld, ...hosts: string[]): Uint8Array =>
  encodeAddr(hosts.map((host) => ({ ...parseHost(host, 8_333)!, time: world.fixture.clock.seconds, services: 9n })));

t.test('one fault costs the connection, a repeated version only a line of the log', async (t) => {
  const world = await open(t);
  const guest = await world.guest();
  guest.send('version', versionPayload({}));
  await guest.sync();
  t.equal(world.said('redundant version message from peer=0').length, 1);
  t.equal(guest.peer.misbehaviour, 0);
  const [first, , third] = buildChain(GENESIS, 3, { tag: 1 });
  guest.send('headers', headersPayload([first!.header, third!.header]));
  await guest.ended();
  t.same(world.said('Misbehaving'), ['Misbehaving: peer=0: non-continuous headers sequence']);
  t.equal(world.net.bans.isDiscouraged(guest.peer.address), true);
});

t.test('headers that lead nowhere are asked about and cost nothing', async (t) => {
  const world = await open(t);
  const guest = await world.guest();
  const unknown = buildChain(GENESIS, 10, { tag: 7 }).slice(1);
  for (let i = 0; i < 11; i++) guest.send('headers', headersPayload(unknown.map(({ header }) => header)));
  await guest.sync();
  t.equal(guest.closed, false);
  t.equal(guest.commands.filter((command) => command === 'getheaders').length >= 11, true);
});

t.test('the reason for leaving stands in the log', async (t) => {
  const world = await open(t, { net: { blocksOnly: true } });
  const guest = await world.guest();
  guest.send('tx', Buffer.alloc(60));
  await guest.ended();
  t.equal(world.said('transaction sent in violation of protocol, disconnecting peer=0').length, 1);
});

t.test('an inbound peer is told addresses once it has spoken of any', async (t) => {
  const world = await open(t);
  await world.grow(1);
  const [source, silent, asking] = [await world.guest(), await world.guest({}, '8.8.4.4'), await world.guest({}, '8.8.5.5')];
  asking.send('getaddr');
  await asking.sync();
  await world.pass(60);
  source.send('addr', addresses(world, '30.30.30.30'));
  await source.sync();
  await world.pass(600);
  const told = asking.take().filter(({ command }) => command === 'addr');
  t.same(
    told.flatMap(({ payload }) => decodeAddr(payload).map(hostText)),
    ['30.30.30.30'],
  );
  t.equal(silent.commands.includes('addr'), false);
  t.equal(world.net.addressCounts(silent.peer), null);
  t.match(world.net.addressCounts(source.peer), { processed: 1, limited: 0 });
  source.send('addr', addresses(world, ...Array.from({ length: 300 }, (_, i) => `31.${i >> 8}.${i & 255}.1`)));
  await source.sync();
  t.match(world.net.addressCounts(source.peer), { processed: 61, limited: 240 }, 'one in ten seconds, of ten minutes');
});

t.test('our own address goes first and by itself', async (t) => {
  const world = await open(t, { net: { externalAddresses: [parseHost('42.42.42.42', 18_444)!] } });
  await world.grow(1);
  for (let i = 1; i <= 50; i++)
    world.net.addresses.add(
      { ...parseHost(`${i}.1.1.1`, 8_333)!, time: world.fixture.clock.seconds, services: 9n },
      parseHost('7.7.7.7', 1)!,
    );
  const guest = await world.guest();
  guest.send('getaddr');
  await guest.sync();
  await world.pass(120);
  const [own, others] = guest.take().filter(({ command }) => command === 'addr');
  t.same(decodeAddr(own!.payload).map(hostText), ['42.42.42.42']);
  t.ok(decodeAddr(others!.payload).length > 1);
});

t.test('a peer that was called for its addresses', async (t) => {
  const world = await open(t);
  const host = await world.host('9.9.9.9', {}, 'addr-fetch');
  await world.round();
  t.equal(host.commands.includes('getaddr'), true);
  t.equal(host.commands.includes('getheaders'), false, 'is not synced from');
  await world.pass(300);
  t.equal(host.closed, false);
  await world.pass(1);
  await host.ended();
  t.equal(world.said('addrfetch connection timeout, disconnecting peer=0').length, 1, 'has five minutes');
});
