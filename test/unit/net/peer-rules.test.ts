// Tests the treatment of peers since Core's versions 22 and 28, against the whole network module: a fault costs the
// connection, addresses go only to peers that take part in address relay, and a connection for addresses has only this
// task.
import t, { type Test } from 'tap';
import { silentLogger } from '../../../src/log/logger.js';
import type { NetContext } from '../../../src/net/context.js';
import { NO_PERMISSIONS } from '../../../src/net/options.js';
import { type Peer, PeerSync } from '../../../src/net/peer/peer.js';
import { ChainGuard } from '../../../src/net/sync/chain-guard.js';
import { decodeAddr, encodeAddr, encodeAddrV2 } from '../../../src/net/wire/messages.js';
import { hostText, parseHost } from '../../../src/net/wire/net-address.js';
import { buildBlock, buildChain, GENESIS } from '../../framework/chain-builder.js';
import { TestClock } from '../../framework/chain-fixture.js';
import { NetWorld, type WorldOptions } from '../../framework/net-world.js';
import { headersPayload, invPayload, locatorPayload, versionPayload } from '../../framework/p2p-client.js';

async function open(t: Test, options: WorldOptions = {}): Promise<NetWorld> {
  const world = await NetWorld.open(options);
  t.teardown(() => world.end());
  return world;
}

const addresses = (world: NetWorld, ...hosts: string[]): Uint8Array =>
  encodeAddr(hosts.map((host) => ({ ...parseHost(host, 8_333)!, time: world.fixture.clock.seconds, services: 9n })));

t.test('disconnects a peer at its first fault, and only logs a repeated version message', async (t) => {
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
  t.equal(world.net.transport.bans.isDiscouraged(guest.peer.address), true);
});

t.test('requests the missing headers once when headers do not connect, without a penalty', async (t) => {
  const world = await open(t);
  const guest = await world.guest();
  const unknown = buildChain(GENESIS, 10, { tag: 7 }).slice(1);
  // The peer answers the request at the start that it has no headers.
  guest.send('headers', headersPayload([]));
  await guest.sync();
  guest.take();
  for (let i = 0; i < 11; i++) guest.send('headers', headersPayload(unknown.map(({ header }) => header)));
  await guest.sync();
  t.equal(guest.closed, false);
  t.equal(guest.commands.filter((command) => command === 'getheaders').length, 1);
});

t.test('logs why it disconnects a peer', async (t) => {
  const world = await open(t, { net: { blocksOnly: true } });
  const guest = await world.guest();
  guest.send('tx', Buffer.alloc(60));
  await guest.ended();
  t.equal(world.said('transaction sent in violation of protocol, disconnecting peer=0').length, 1);
});

t.test('relays addresses to an inbound peer only after it has sent an address message', async (t) => {
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
  t.equal(world.net.discovery.addrRelay.counts(silent.peer), null);
  t.match(world.net.discovery.addrRelay.counts(source.peer), { processed: 1, limited: 0 });
  source.send('addr', addresses(world, ...Array.from({ length: 300 }, (_, i) => `31.${i >> 8}.${i & 255}.1`)));
  await source.sync();
  t.match(world.net.discovery.addrRelay.counts(source.peer), { processed: 61, limited: 240 }, 'one in ten seconds, of ten minutes');
});

t.test('sends its own address first, in a message of its own', async (t) => {
  const world = await open(t, { net: { externalAddresses: [parseHost('42.42.42.42', 18_444)!] } });
  await world.grow(1);
  for (let i = 1; i <= 50; i++)
    world.net.transport.addresses.add(
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

t.test('requests only addresses on an addr-fetch connection, and closes it after five minutes', async (t) => {
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

t.test('disconnects a peer that requests a filtered block although bloom filters are off', async (t) => {
  const world = await open(t);
  const [block] = await world.grow(1);
  const guest = await world.guest();
  guest.send('getdata', invPayload([[3, block!.hash]]));
  await guest.ended();
  t.equal(world.said('filtered block request received when NODE_BLOOM service disabled, disconnecting peer=0').length, 1);
});

t.test('accepts NODE_NETWORK_LIMITED outbound peers only while the tip is less than a day old', async (t) => {
  const world = await open(t);
  await world.grow(1, { ageSeconds: 144 * 600 - 1 });
  const limited = 0x408n;
  const host = await world.host('9.9.9.9', { services: limited });
  t.equal(host.closed, false);
  await world.pass(1);
  const late = await world.call('9.8.9.9');
  late.send('version', versionPayload({ services: limited, time: world.fixture.clock.seconds }));
  await late.ended();
  t.equal(world.said('(00000408 offered, 00000009 expected), disconnecting peer=1').length, 1);
});

t.test('requests transactions with -blocksonly only from peers with the relay permission', async (t) => {
  const world = await open(t, { net: { blocksOnly: true } });
  const relayOf = async (permitted: boolean): Promise<number> => {
    const guest = (await world.inbound('8.8.8.8', permitted ? { ...NO_PERMISSIONS, relay: true } : null))!;
    guest.send('version', versionPayload({ time: world.fixture.clock.seconds }));
    return (await guest.next('version')).at(-1)!;
  };
  t.same([await relayOf(false), await relayOf(true)], [0, 1]);
});

t.test('sends the step above half of 100 sat/kvB as feefilter in the initial block download', async (t) => {
  const clock = new TestClock();
  clock.seconds = 1_296_688_602 + 2 * 86_400;
  const world = await open(t, { chain: { clock, maxTipAge: 86_400 } });
  const guest = await world.guest();
  await world.round();
  t.equal((await guest.next('feefilter')).readBigUInt64LE(), 9_936_506n);
});

t.test('applies a mocked time change to connection timeouts at once', async (t) => {
  const world = await open(t);
  const host = await world.host('9.9.9.9', {}, 'addr-fetch');
  world.fixture.clock.seconds += 301;
  world.net.timeMoved();
  t.equal(host.peer.leaving, true);
});

t.test('requests blocks from an inbound peer while no outbound peer has them', async (t) => {
  const clock = new TestClock();
  clock.seconds = 1_296_688_602 + 2 * 86_400;
  const world = await open(t, { chain: { clock, maxTipAge: 86_400 } });
  const guest = await world.guest();
  await world.host('9.9.9.9');
  const [block] = buildChain(GENESIS, 1);
  guest.take();
  guest.send('headers', headersPayload([block!.header]));
  await guest.sync();
  await world.round();
  t.equal(guest.commands.includes('getdata'), true);
});

t.test('serves headers during the initial block download once its chain has enough work', async (t) => {
  const clock = new TestClock();
  clock.seconds = 1_296_688_602 + 2 * 86_400;
  const world = await open(t, { chain: { clock, maxTipAge: 86_400 } });
  const [block] = buildChain(GENESIS, 1);
  await world.fixture.chain.commands.submitBlock(block!.bytes);
  const guest = await world.guest();
  guest.send('getheaders', locatorPayload([GENESIS.hash]));
  t.same([(await guest.next('headers'))[0], world.fixture.chain.view.isInitialBlockDownload()], [1, true]);
});

t.test('ignores compact blocks with -blocksonly', async (t) => {
  const world = await open(t, { net: { blocksOnly: true } });
  await world.grow(1);
  const guest = await world.guest();
  // The message is too short for a compact block. If the node read it, a line in the log would report the error.
  guest.send('cmpctblock', Buffer.alloc(3));
  await guest.sync();
  t.same(world.said('ProcessMessages(cmpctblock'), []);
});

t.test('disconnects a peer that sends getblocktxn without transaction indexes', async (t) => {
  const world = await open(t);
  const [block] = await world.grow(1);
  const guest = await world.guest();
  guest.send('getblocktxn', Buffer.concat([block!.hash, Buffer.of(0)]));
  await guest.ended();
  t.equal(world.said('getblocktxn received with no transaction indexes, disconnecting peer=0').length, 1);
});

t.test('does not process a known unrequested block that would not be stored', async (t) => {
  const world = await open(t);
  const blocks = await world.grow(3);
  const [first] = blocks;
  const { chain } = world.fixture;
  const submit = chain.commands.submitBlock.bind(chain.commands);
  let submitted = 0;
  chain.commands.submitBlock = (...args) => {
    submitted++;
    return submit(...args);
  };
  const stale = buildBlock(GENESIS, { tag: 1, time: first!.time });
  const wrong = buildBlock(blocks[2]!, { fees: 1 });
  const guest = await world.guest();
  for (let i = 0; i < 3; i++) guest.send('block', stale.bytes);
  await guest.sync();
  t.equal(submitted, 1, 'the first time its header was new');
  t.equal(chain.view.node(stale.hash)?.hasData, false);
  guest.send('block', wrong.bytes);
  await guest.ended();
  t.equal(submitted, 2);
  const [other, host] = [await world.guest({}, '9.8.8.8'), await world.host('9.9.9.9')];
  other.send('block', wrong.bytes);
  await other.sync();
  host.send('block', wrong.bytes);
  await host.ended();
  t.equal(submitted, 2, 'of one that is known to fail the peer that we chose answers for it');
});

t.test('counts a transaction once that an inv names several times', async (t) => {
  const world = await open(t);
  await world.grow(1);
  const guest = await world.guest();
  const hash = Buffer.alloc(32, 7);
  guest.send('inv', invPayload([1, 1, 1].map((type) => [type, hash] as const)));
  await guest.sync();
  t.equal(world.said('got inv: tx').length, 1);
});

t.test('counts MSG_WITNESS_TX as a txid, and ignores other block types in an inv', async (t) => {
  const world = await open(t);
  await world.grow(1);
  const [old, guest] = [await world.guest(), await world.guest()];
  guest.peer.relaysByWtxid = true;
  const [WTX, WITNESS_TX, WITNESS_BLOCK] = [5, 0x40000001, 0x40000002];
  const hashes = [Buffer.alloc(32, 7), Buffer.alloc(32, 8)] as const;
  for (const [peer, other] of [
    [old, 1],
    [guest, WTX],
  ] as const) {
    peer.take();
    peer.send(
      'inv',
      invPayload([
        [WITNESS_TX, hashes[0]],
        [other, hashes[1]],
        [WITNESS_BLOCK, Buffer.alloc(32, 9)],
        [4, Buffer.alloc(32, 10)],
      ]),
    );
    await peer.sync();
    t.same(
      peer.commands.filter((command) => command === 'getheaders'),
      [],
    );
    t.equal(world.net.relay.txDownload.requests.count(peer.peer), 2);
  }
  t.equal(world.said('got inv: witness-tx').length, 2);
});

t.test('accepts an inbound peer with a discouraged address, and prefers it for eviction', async (t) => {
  const world = await open(t);
  const host = '9.9.9.9';
  world.net.transport.bans.discourage(parseHost(host, 0)!);
  t.equal((await world.guest({}, host)).peer.preferEvict, true);
  t.equal((await world.guest()).peer.preferEvict, false);
});

t.test('rejects sendcmpct with an announce field other than 0 or 1, except in 0.21 mode', async (t) => {
  for (const legacyPeers of [false, true]) {
    const world = await NetWorld.open({ net: { legacyPeers } });
    const guest = await world.guest();
    guest.send('sendcmpct', Buffer.from('020200000000000000', 'hex'));
    await guest[legacyPeers ? 'sync' : 'ended']();
    t.equal(world.said('invalid sendcmpct announce field').length, legacyPeers ? 0 : 1);
    t.equal(guest.peer.compact.wantsHighBandwidth, legacyPeers, '0.21 takes any other byte for a yes');
    await world.end();
  }
});

t.test('uses an -externalip address of a network that -onlynet excludes', async (t) => {
  const onion = parseHost('pg6mmjiyjmcrsslvykfwnntlaru7p5svn6y2ymmju6nubxndf4pscryd.onion', 18_444)!;
  const world = await open(t, { net: { onlyNets: ['ipv4'], externalAddresses: [onion] } });
  t.equal(world.net.transport.local.list().length, 1);
});

t.test('does not store addresses of networks that it cannot reach', async (t) => {
  const world = await open(t);
  const guest = await world.guest();
  await world.pass(60);
  const garlic = { network: 'i2p', bytes: new Uint8Array(32).fill(1), port: 0, time: world.fixture.clock.seconds, services: 9n } as const;
  guest.send('addrv2', encodeAddrV2([garlic]));
  await guest.sync();
  t.equal(world.net.transport.addresses.size, 0);
});

t.test('sends getheaders to a lagging peer from before the tip that it should have reached', (t) => {
  const node = (height: number, prev: object | null) => ({ height, prev, chainWork: BigInt(height), hashHex: '' });
  const before = node(4, null);
  const chain = { tip: node(5, before) };
  let nowMs = 1_000;
  const asked: object[] = [];
  const context = { chain, clock: { nowMs: () => nowMs }, log: silentLogger };
  const guard = new ChainGuard(context as unknown as NetContext, (_, from) => asked.push(from));
  const peer = { outboundOrBlockRelay: true, sync: new PeerSync() };
  peer.sync.started = true;
  guard.check(peer as Peer);
  chain.tip = node(9, node(8, null));
  nowMs += 20 * 60_000 + 1;
  t.equal(guard.check(peer as Peer), null);
  t.same(asked, [before], 'before the tip of the time when it was found behind');
  nowMs += 2 * 60_000 + 1;
  t.match(guard.check(peer as Peer), /old chain/);
  t.end();
});
