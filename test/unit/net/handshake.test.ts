// Tests the first messages of a connection, one by one, against the whole network module.
import t, { type Test } from 'tap';
import { NetWorld, type WorldOptions } from '../../framework/net-world.js';
import { type Greeting, versionPayload } from '../../framework/p2p-client.js';

async function open(t: Test, options: WorldOptions = {}): Promise<NetWorld> {
  const world = await NetWorld.open(options);
  t.teardown(() => world.end());
  return world;
}

t.test('sends version first on an outbound connection, and only in reply on an inbound one', async (t) => {
  const world = await open(t);
  const hello = versionPayload({ time: world.fixture.clock.seconds });
  const guest = (await world.inbound())!;
  await world.round();
  t.same(guest.commands, [], 'nothing before the version of the caller');
  guest.send('version', hello);
  await guest.next('verack');
  t.same(guest.commands, ['version', 'wtxidrelay', 'sendaddrv2']);
  const version = await guest.next('version');
  t.equal(version.readInt32LE(0), 70016);
  t.equal(version.readBigUInt64LE(4), 1033n, 'NETWORK, WITNESS and NETWORK_LIMITED');

  const host = await world.call('9.9.9.9');
  await host.next('version');
  await world.round();
  t.same(host.commands, [], 'the rest follows the version of the other side');
  host.send('version', hello);
  await host.next('verack');
  t.same(host.commands, ['wtxidrelay', 'sendaddrv2']);
  t.equal(host.peer.ready, false);
});

t.test('disconnects peers with a protocol version below 31800', async (t) => {
  const world = await open(t);
  for (const [version, shown] of [
    [31_799, 31_799],
    // The version that Bitcoin 0.1.x sent.
    [10_300, 300],
  ] as const) {
    const old = (await world.inbound())!;
    old.send('version', versionPayload({ version, time: world.fixture.clock.seconds }));
    await old.ended();
    t.same(old.commands, [], `${version} gets no answer`);
    t.equal(world.said(`using obsolete version ${shown}; disconnecting`).length, 1);
  }
  const guest = await world.guest({ version: 31_800 });
  t.equal(guest.closed, false);
  t.equal(guest.peer.version, 31_800);
});

t.test('sends each feature message only to peers whose version supports it', async (t) => {
  const world = await open(t);
  const told = async (version: number): Promise<string[]> => {
    const guest = (await world.inbound())!;
    guest.send('version', versionPayload({ version, time: world.fixture.clock.seconds }));
    guest.send('verack');
    await guest.next('verack');
    await world.round();
    const wanted = ['wtxidrelay', 'sendaddrv2', 'sendheaders', 'sendcmpct', 'feefilter'];
    return guest.commands.filter((command) => wanted.includes(command));
  };
  t.same(await told(70_011), []);
  t.same(await told(70_012), ['sendheaders'], 'BIP-0130');
  t.same(await told(70_013), ['sendheaders', 'feefilter'], 'BIP-0133');
  t.same(await told(70_014), ['sendheaders', 'sendcmpct', 'feefilter'], 'BIP-0152');
  t.same(await told(70_015), ['sendheaders', 'sendcmpct', 'feefilter']);
  t.same(await told(70_016), ['wtxidrelay', 'sendaddrv2', 'sendheaders', 'sendcmpct', 'feefilter'], 'BIP-0339, BIP-0155');
});

t.test('ignores a second version message and counts it as misbehaviour', async (t) => {
  const world = await open(t, { net: { legacyPeers: true } });
  const guest = await world.guest({ startHeight: 5, userAgent: '/first/' });
  guest.send('version', versionPayload({ startHeight: 6, userAgent: '/second/', version: 70_001 }));
  await guest.sync();
  t.same([guest.peer.startHeight, guest.peer.userAgent, guest.peer.version], [5, '/first/', 70_016]);
  t.equal(guest.peer.misbehaviour, 1);
  t.match(world.said('Misbehaving'), [/\(0 -> 1\): redundant version message$/]);
  for (let i = 2; i <= 99; i++) guest.send('version', versionPayload({}));
  await guest.sync();
  t.equal(guest.peer.misbehaviour, 99);
  guest.send('version', versionPayload({}));
  await guest.ended();
  t.equal(world.net.transport.bans.isDiscouraged(guest.peer.address), true, 'at a hundred the address is discouraged');
});

t.test('counts messages before version as misbehaviour, and ignores others before verack', async (t) => {
  const world = await open(t, { net: { legacyPeers: true } });
  const guest = (await world.inbound())!;
  for (const command of ['verack', 'ping', 'getaddr']) guest.send(command, Buffer.alloc(8));
  guest.send('version', versionPayload({ time: world.fixture.clock.seconds }));
  await guest.next('verack');
  t.equal(guest.peer.misbehaviour, 3);
  t.equal(guest.peer.ready, false, 'a verack before version is none');
  guest.take();
  guest.send('ping', Buffer.alloc(8, 1));
  guest.send('verack');
  await guest.sync();
  t.equal(world.said('Unsupported message "ping" prior to verack').length, 1);
  t.equal(guest.commands.includes('pong'), false);
  t.equal(guest.peer.misbehaviour, 3, 'that costs nothing');
});

t.test('disconnects a peer that sends wtxidrelay or sendaddrv2 after verack', async (t) => {
  const world = await open(t);
  for (const command of ['wtxidrelay', 'sendaddrv2']) {
    const guest = await world.guest();
    guest.send(command);
    await guest.ended();
    t.equal(world.said(`${command} received after verack`).length, 1);
  }
  const early = (await world.inbound())!;
  early.send('version', versionPayload({ time: world.fixture.clock.seconds }));
  early.send('wtxidrelay');
  early.send('sendaddrv2');
  early.send('verack');
  await early.sync();
  t.same([early.peer.relaysByWtxid, early.peer.wantsAddrV2], [true, true]);
  const older = (await world.inbound())!;
  older.send('version', versionPayload({ version: 70_015, time: world.fixture.clock.seconds }));
  older.send('wtxidrelay');
  older.send('verack');
  await older.sync();
  t.equal(older.peer.relaysByWtxid, false, 'its version does not know the message');
});

t.test('detects a connection to itself by the nonce of its version message', async (t) => {
  const world = await open(t);
  const host = await world.call('9.9.9.9');
  const nonce = (await host.next('version')).readBigUInt64LE(72);
  const time = world.fixture.clock.seconds;
  const other = await world.guest({ nonce: nonce ^ 1n });
  t.equal(other.closed, false, 'another nonce is another node');
  const self = (await world.inbound())!;
  self.send('version', versionPayload({ nonce, time }));
  await self.ended();
  t.same(self.commands, [], 'it gets no version');
  t.match(world.said('connected to self'), [/^connected to self at 8\.8\.8\.8:\d+, disconnecting$/]);
  // The nonce of an outbound connection is compared only until its handshake is complete.
  host.send('version', versionPayload({ time }));
  host.send('verack');
  await host.sync();
  const late = await world.guest({ nonce });
  t.equal(late.closed, false);
});

t.test('disconnects outbound peers without the required services, except manual ones', async (t) => {
  const inDownload = await open(t, { chain: { maxTipAge: 86_400 } });
  t.equal(inDownload.fixture.chain.view.isInitialBlockDownload(), true);
  const kept = async (world: NetWorld, services: bigint, type: Parameters<NetWorld['call']>[1]): Promise<boolean> => {
    const host = await world.call('9.9.9.9', type);
    host.send('version', versionPayload({ services, time: world.fixture.clock.seconds }));
    await Promise.race([host.ended(), host.next('verack').catch(() => {})]);
    const { closed } = host;
    host.close();
    await world.round();
    return !closed;
  };
  const rows: [bigint, string, boolean][] = [];
  for (const type of ['outbound-full-relay', 'block-relay-only', 'addr-fetch', 'manual'] as const) {
    for (const services of [9n, 8n, 1n, 1032n]) rows.push([services, type, await kept(inDownload, services, type)]);
  }
  t.same(
    rows.filter(([, , stays]) => stays).map(([services, type]) => `${type} ${services}`),
    ['outbound-full-relay 9', 'block-relay-only 9', 'addr-fetch 9', 'manual 9', 'manual 8', 'manual 1', 'manual 1032'],
    'all blocks with witnesses, unless the operator names the peer',
  );
  await inDownload.grow(1);
  t.equal(inDownload.fixture.chain.view.isInitialBlockDownload(), false);
  t.equal(await kept(inDownload, 1032n, 'outbound-full-relay'), true, 'the newest blocks are enough now');
  t.equal(await kept(inDownload, 1024n, 'outbound-full-relay'), false);
  t.equal(await kept(inDownload, 8n, 'outbound-full-relay'), false);
});

t.test('closes a feeler connection once the peer has sent its version', async (t) => {
  const world = await open(t);
  const host = await world.call('9.9.9.9', 'feeler');
  await host.next('version');
  host.send('version', versionPayload({ time: world.fixture.clock.seconds }));
  await host.ended();
  t.equal(host.commands.at(-1), 'verack');
});

t.test('requests no transactions on block-relay-only connections and with -blocksonly', async (t) => {
  const relayByte = async (world: NetWorld, type: Parameters<NetWorld['call']>[1]): Promise<number> =>
    (await (await world.call(`9.9.9.${type?.length}`, type)).next('version')).at(-1) as number;
  const world = await open(t);
  t.same(
    [await relayByte(world, 'outbound-full-relay'), await relayByte(world, 'manual'), await relayByte(world, 'block-relay-only')],
    [1, 1, 0],
  );
  const quiet: Greeting = { relay: false };
  t.equal((await world.guest(quiet)).peer.relaysTxs, false);
  t.equal((await world.guest()).peer.relaysTxs, true);
  await world.end();
  const blocksOnly = await NetWorld.open({ net: { blocksOnly: true } });
  t.equal(await relayByte(blocksOnly, 'outbound-full-relay'), 0);
  await blocksOnly.end();
});
