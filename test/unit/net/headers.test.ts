// Tests headers of peers, message by message against the whole network module: headers that do not connect, headers
// that do not arrive, and announcements of the node's own blocks. The bounds are written out from Core's
// net_processing.cpp.
import t, { type Test } from 'tap';
import type { HeaderNode } from '../../../src/chain/tree/header-node.js';
import { silentLogger } from '../../../src/log/logger.js';
import type { NetContext } from '../../../src/net/context.js';
import { BlockAnnouncer } from '../../../src/net/relay/block-announcer.js';
import { type BuiltBlock, buildBlock, buildChain, GENESIS } from '../../framework/chain-builder.js';
import { TestClock } from '../../framework/chain-fixture.js';
import { type FakePeer, NetWorld, type WorldOptions } from '../../framework/net-world.js';
import { headersPayload, invPayload } from '../../framework/p2p-client.js';

async function open(t: Test, options: WorldOptions = {}): Promise<NetWorld> {
  const world = await NetWorld.open(options);
  t.teardown(() => world.end());
  return world;
}

const headersOf = (blocks: readonly BuiltBlock[]): Buffer => headersPayload(blocks.map(({ header }) => header));

t.test('requests the missing headers when headers do not connect, and counts repeated offences', async (t) => {
  const world = await open(t, { net: { legacyPeers: true } });
  await world.grow(2);
  const guest = await world.guest();
  /** A branch without its first block, which the node never receives. */
  const unknown = (count: number, tag: number): BuiltBlock[] => buildChain(GENESIS, count + 1, { tag }).slice(1);
  guest.take();
  for (let i = 1; i <= 9; i++) {
    guest.send('headers', headersOf(unknown(1, i)));
    await guest.sync();
    t.same(
      guest.take().map(({ command }) => command),
      ['getheaders'],
      'the missing headers are requested',
    );
    t.equal(guest.peer.misbehaviour, 0);
  }
  guest.send('headers', headersOf(unknown(8, 10)));
  await guest.sync();
  t.equal(guest.peer.misbehaviour, 20, 'the tenth counts; eight headers at once are an announcement');
  t.equal(world.said('10 non-connecting headers').length, 1);
  // Headers that connect reset the count.
  const [next] = buildChain(GENESIS, 1, { tag: 99 });
  guest.send('headers', headersOf([next as BuiltBlock]));
  await guest.sync();
  t.equal(guest.peer.sync.unconnectingHeaders, 0);
  guest.take();
  guest.send('headers', headersOf(unknown(9, 11)));
  await guest.sync();
  t.equal(guest.peer.misbehaviour, 40, 'nine at once are none');
  t.equal(world.said('headers message does not connect').length, 1);
  t.equal(guest.commands.includes('getheaders'), false);
});

t.test('finds a header without proof of work behind one whose time is too far ahead', async (t) => {
  const world = await open(t);
  const [tip] = await world.grow(1);
  const early = buildBlock(tip as BuiltBlock, { time: world.fixture.clock.seconds + 100_000 });
  const early2 = buildBlock(early, { time: world.fixture.clock.seconds + 100_001 });
  const honest = await world.guest();
  honest.send('headers', headersOf([early, early2]));
  await honest.sync();
  t.equal(honest.closed, false, 'their clocks may be better than ours');
  const guest = await world.guest();
  guest.send('headers', headersOf([early, buildBlock(early, { unsolved: true, time: world.fixture.clock.seconds + 100_001 })]));
  await guest.ended();
  t.equal(world.said('header with invalid proof of work').length, 1);
});

/**
 * Announces blocks whose parents the node does not know, one message each.
 * @returns the number of getheaders messages to the peer
 */
async function announceUnknown(peer: FakePeer, count: number, tag: number): Promise<number> {
  peer.take();
  for (let i = 0; i < count; i++) peer.send('inv', invPayload([[2, Buffer.alloc(32, tag + i)]]));
  await peer.sync();
  return peer.take().filter(({ command }) => command === 'getheaders').length;
}

t.test('requests headers again two minutes after a request that a peer left unanswered', async (t) => {
  const world = await open(t);
  const [tip] = (await world.grow(1)) as [BuiltBlock];
  const guest = await world.guest();
  t.equal(guest.commands.filter((command) => command === 'getheaders').length, 1, 'as every peer at the start');
  t.equal(await announceUnknown(guest, 20, 1), 0);
  world.fixture.clock.seconds += 120;
  t.equal(await announceUnknown(guest, 20, 30), 0);
  world.fixture.clock.seconds += 1;
  t.equal(await announceUnknown(guest, 20, 60), 1);
  guest.send('headers', headersOf([]));
  t.equal(await announceUnknown(guest, 20, 90), 1, 'it has answered');
  guest.send('headers', headersOf(buildChain(GENESIS, 2, { tag: 5 }).slice(1)));
  t.equal(await announceUnknown(guest, 20, 120), 0, 'that was no answer');
  guest.send('headers', headersOf([tip]));
  t.equal(await announceUnknown(guest, 20, 150), 1);
});

t.test('requests headers for each unknown block announcement in 0.21 mode', async (t) => {
  const world = await open(t, { net: { legacyPeers: true } });
  await world.grow(1);
  t.equal(await announceUnknown(await world.guest(), 20, 1), 20);
});

t.test('requests headers from one more peer for each new block during the header download', async (t) => {
  const world = await open(t);
  // The tip is more than a day old, so at the start headers are requested from only one peer.
  await world.grow(1, { ageSeconds: 90_000 });
  const [first, second, third] = [await world.host('8.1.0.1'), await world.guest(), await world.guest()];
  t.same(
    [first, second, third].map(({ commands }) => commands.includes('getheaders')),
    [true, false, false],
  );
  const answered = async (): Promise<void> => {
    for (const peer of [first, second, third]) {
      peer.send('headers', headersOf([]));
      await peer.sync();
    }
  };
  const asked = async (tag: number): Promise<number[]> => {
    await answered();
    return [await announceUnknown(first, 1, tag), await announceUnknown(second, 1, tag), await announceUnknown(third, 1, tag)];
  };
  t.same(await asked(1), [1, 1, 0]);
  t.same(await asked(2), [1, 0, 1]);
  t.same(await asked(3), [1, 0, 0], 'each of them once');
});

t.test('rejects headers that are not continuous, and messages with more than 2,000 headers', async (t) => {
  const world = await open(t, { net: { legacyPeers: true } });
  await world.grow(1);
  const guest = await world.guest();
  const [a, b, c] = buildChain(GENESIS, 3, { tag: 1 }) as [BuiltBlock, BuiltBlock, BuiltBlock];
  guest.send('headers', headersOf([a, c]));
  await guest.sync();
  t.equal(guest.peer.misbehaviour, 20);
  t.equal(world.fixture.chain.view.node(a.hash), undefined, 'no header is stored');
  const many = Array.from({ length: 2_001 }, () => b.header);
  guest.send('headers', headersPayload(many));
  await guest.sync();
  t.equal(guest.peer.misbehaviour, 40);
  guest.send('headers', headersPayload(many.slice(0, 2_000)));
  await guest.sync();
  t.equal(guest.peer.misbehaviour, 60, 'these do not follow each other either');
  t.equal(world.said('headers message size = 2001').length, 1);
});

t.test('limits the header download to 15 minutes plus a millisecond per expected header', async (t) => {
  /** The node is two days behind, so it expects 288 headers. */
  const begin = async (t: Test): Promise<NetWorld> => {
    const clock = new TestClock();
    clock.seconds = 1_296_688_602 + 2 * 86_400;
    return open(t, { chain: { clock, maxTipAge: 86_400 } });
  };
  await t.test('disconnects the slow peer if another outbound peer can be asked', async (t) => {
    const world = await begin(t);
    const first = await world.host('9.9.1.1');
    await first.next('getheaders');
    const second = await world.host('9.8.1.1');
    t.equal(second.commands.includes('getheaders'), false, 'one at a time');
    await world.pass(900);
    t.equal(first.closed, false, '900.288 seconds');
    await world.pass(1);
    await first.ended();
    t.equal(world.said('Timeout downloading headers, disconnecting peer=0').length, 1);
    await world.round();
    await second.next('getheaders');
    t.equal(second.closed, false);
  });
  await t.test('keeps the slow peer if no other outbound peer is connected', async (t) => {
    const world = await begin(t);
    const first = await world.host('9.9.1.1');
    const guest = await world.guest();
    await world.pass(1_000);
    t.same([first.closed, guest.closed], [false, false]);
  });
  await t.test('disconnects a slow inbound peer if the only outbound peer is never asked', async (t) => {
    const world = await begin(t);
    const guest = await world.guest();
    await guest.next('getheaders');
    await world.host('9.8.1.1', { services: 9n });
    await world.pass(901);
    await guest.ended();
    t.equal(world.said('Timeout downloading headers').length, 1);
  });
  await t.test('keeps a slow peer that has the noban permission', async (t) => {
    const clock = new TestClock();
    clock.seconds = 1_296_688_602 + 2 * 86_400;
    const world = await open(t, { chain: { clock, maxTipAge: 86_400 } });
    const trusted = { noban: true, relay: false, forcerelay: false, mempool: false, download: true, addr: false, bloomfilter: false };
    const first = await world.guest({}, '8.8.8.8', { ...trusted, implicit: false });
    await first.next('getheaders');
    const second = await world.host('9.8.1.1');
    t.equal(second.commands.includes('getheaders'), false);
    await world.pass(901);
    await world.round();
    t.equal(first.closed, false);
    await second.next('getheaders');
  });
});

/**
 * Connects blocks at once and announces them to a peer that wants headers.
 * @returns the command and the first byte (the count) of each message
 */
async function announced(count: number, knows: (peer: FakePeer, blocks: readonly BuiltBlock[]) => Uint8Array): Promise<string[]> {
  const world = await NetWorld.open();
  try {
    const { chain } = world.fixture;
    const guest = await world.guest();
    guest.send('sendheaders');
    const blocks = await world.grow(count);
    await guest.sync();
    // Forget the announcements that the module itself made, one for each block.
    guest.take();
    guest.peer.sync.bestHeaderSent = null;
    guest.peer.sync.bestKnown = chain.view.node(knows(guest, blocks)) ?? null;
    const context = { chain: chain.view, log: silentLogger, peers: new Set([guest.peer]) } as unknown as NetContext;
    const announcer = new BlockAnnouncer(context, () => false);
    announcer.onTip(blocks.map(({ hash }) => chain.view.node(hash) as HeaderNode));
    announcer.send(guest.peer);
    await guest.sync();
    return guest.take().map(({ command, payload }) => `${command} ${payload[0]}`);
  } finally {
    await world.end();
  }
}

t.test('announces up to eight new blocks by headers, and more by the hash of the last one', async (t) => {
  const genesis = (): Uint8Array => GENESIS.hash;
  t.same(await announced(8, genesis), ['headers 8']);
  t.same(await announced(9, genesis), ['inv 1'], 'the ninth last header is not sent, so the peer could not connect the others');
  t.same(await announced(9, (_, [first]) => (first as BuiltBlock).hash), ['headers 8']);
  t.same(await announced(8, () => new Uint8Array(32)), ['inv 1'], 'a peer that has shown no header');
});

t.test('announces no block to a peer whose start height is over two thousand blocks higher', async (t) => {
  const at = (startHeight: number) =>
    announced(1, ({ peer }) => {
      peer.startHeight = startHeight;
      return GENESIS.hash;
    });
  t.same(await at(2_001), []);
  t.same(await at(2_000), ['headers 1']);
});

t.test('announces by headers to peers that sent sendheaders and have the parent, else by inv', async (t) => {
  const world = await open(t);
  const blocks = await world.grow(2);
  const [asked, plain] = [await world.guest(), await world.guest({}, '8.8.4.4')];
  asked.send('sendheaders');
  for (const peer of [asked, plain]) {
    peer.send('headers', headersOf(blocks));
    await peer.sync();
    peer.take();
  }
  await world.fixture.chain.commands.submitBlock(buildBlock(blocks[1] as BuiltBlock).bytes);
  for (const peer of [asked, plain]) await peer.sync();
  t.same([asked.commands, plain.commands], [['headers'], ['inv']]);
});
