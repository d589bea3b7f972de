// Tests the exchange of blocks between peers and the chain: which blocks the node requests and which it serves, also
// while the chain is still processing a block.
import { EventEmitter } from 'node:events';
import t from 'tap';
import { parseBlock } from '../../../src/consensus/block/block-view.js';
import { Semaphore } from '../../../src/lib/semaphore.js';
import { silentLogger } from '../../../src/log/logger.js';
import type { NetContext } from '../../../src/net/context.js';
import { NO_PERMISSIONS } from '../../../src/net/options.js';
import { Peer } from '../../../src/net/peer/peer.js';
import type { SocketConnection } from '../../../src/net/peer/socket-connection.js';
import { BlockTimes } from '../../../src/net/relay/block-times.js';
import { noteAvailable } from '../../../src/net/sync/availability.js';
import { BlockDownload, MAX_BLOCKS_IN_TRANSIT_PER_PEER } from '../../../src/net/sync/block-download.js';
import { BlockReceiver } from '../../../src/net/sync/block-receiver.js';
import { BlockServer } from '../../../src/net/sync/serve-blocks.js';
import { desirableServices, INV, SERVICE } from '../../../src/net/wire/protocol.js';
import { type BuiltBlock, buildBlock, buildChain, GENESIS } from '../../framework/chain-builder.js';
import { crypto, type Fixture, facesOf, IN_DOWNLOAD, OUT_OF_DOWNLOAD, openFixture } from '../../framework/chain-fixture.js';
import { pseudoRandom } from '../../framework/pseudo-random.js';

/** Makes the context that the parts under test need of the module. */
function contextOf({ chain, clock }: Fixture, peers: ReadonlySet<Peer>): NetContext {
  const realClock = {
    nowSeconds: () => clock.nowSeconds(),
    nowMs: () => clock.nowSeconds() * 1_000,
    realSeconds: () => clock.nowSeconds(),
  };
  const options = { services: SERVICE.NETWORK | SERVICE.WITNESS };
  return {
    options,
    services: options.services,
    params: chain.view.params,
    ...facesOf(chain),
    crypto,
    clock: realClock,
    log: silentLogger,
    times: new BlockTimes(
      () => 0,
      () => {},
    ),
    peers,
    random: Math.random,
    misbehaving: () => {},
    disconnect: () => {},
    chargeTo: (_: Peer, work: () => unknown) => work(),
    scheduleRound: () => {},
    events: new EventEmitter(),
  } as unknown as NetContext;
}

/** Makes a peer that has blocks and records the messages it receives. */
function talkingPeer(): { peer: Peer; sent: { command: string; payload: Uint8Array }[] } {
  const sent: { command: string; payload: Uint8Array }[] = [];
  const peer = new Peer(0, 'inbound', { network: 'ipv4', bytes: Uint8Array.of(127, 0, 0, 1), port: 1 }, '', '', NO_PERMISSIONS, 0);
  peer.services = SERVICE.NETWORK | SERVICE.WITNESS;
  peer.connection = {
    send: (command: string, payload: Uint8Array) => sent.push({ command, payload }),
  } as unknown as SocketConnection;
  return { peer, sent };
}

t.test('sends a block that a peer requests during script verification once it is connected', async (t) => {
  const fixture = await openFixture();
  t.teardown(() => fixture.end());
  const { chain } = fixture;
  const { peer, sent } = talkingPeer();
  const server = new BlockServer(
    contextOf(fixture, new Set([peer])),
    () => false,
    () => false,
    async () => {},
    new Semaphore(1),
  );
  let asked: Promise<unknown> | undefined;
  chain.events.stored.add((node) => {
    asked = server.sendBlock(peer, { type: INV.WITNESS_BLOCK, hash: node.hash });
  });
  const block = buildBlock(GENESIS);
  await chain.commands.submitBlock(block.bytes);
  await asked;
  t.match(sent, [{ command: 'block' }]);
  t.same(Buffer.from(sent[0]?.payload as Uint8Array), block.bytes);
});

t.test('does not request a received block again before it is stored', async (t) => {
  const fixture = await openFixture();
  t.teardown(() => fixture.end());
  const { chain } = fixture;
  const { peer, sent } = talkingPeer();
  const context = contextOf(fixture, new Set([peer]));
  const downloads = new BlockDownload(context);
  const receiver = new BlockReceiver(context, downloads);
  const block = buildBlock(GENESIS);
  await chain.commands.submitHeader(block.header);
  noteAvailable(chain.view, peer, block.hash);
  downloads.fillWindow(peer);
  t.match(sent, [{ command: 'getdata' }]);
  const stored = receiver.processBlock(peer, parseBlock(block.bytes, crypto), downloads.endRequest(block.hash), true);
  t.equal(downloads.expects(block.hash), true);
  downloads.fillWindow(peer);
  t.equal(sent.length, 1, 'once');
  await stored;
  t.equal(downloads.expects(block.hash), false);
  t.equal(chain.view.tip.hashHex, block.hashHex);
});

t.test('credits a peer for a valid block only when no other block is in flight', async (t) => {
  const fixture = await openFixture({ maxTipAge: OUT_OF_DOWNLOAD });
  t.teardown(() => fixture.end());
  const { chain } = fixture;
  const [first, second] = buildChain(GENESIS, 2) as [BuiltBlock, BuiltBlock];
  await chain.commands.submitHeaders([first.header, second.header]);
  const { peer } = talkingPeer();
  const context = contextOf(fixture, new Set([peer]));
  const downloads = new BlockDownload(context);
  const receiver = new BlockReceiver(context, downloads);
  const good: number[] = [];
  context.events.on('goodBlock', () => good.push(chain.view.tip.height));
  chain.events.checked.add((hash, block, reject) => receiver.onChecked(hash, block, reject));
  for (const { hash } of [first, second]) downloads.startRequest(peer, hash, chain.view.node(hash) ?? null);
  await receiver.receiveBlock(peer, first.bytes);
  t.equal(chain.view.tip.hashHex, first.hashHex);
  t.same(good, []);
  await receiver.receiveBlock(peer, second.bytes);
  t.equal(good.length, 1);
});

t.test('requests a withheld block from another peer that has it, the most useful one first', async (t) => {
  const fixture = await openFixture();
  t.teardown(() => fixture.end());
  const { chain } = fixture;
  const [thief, stranger, friend] = [talkingPeer(), talkingPeer(), talkingPeer()];
  const all = [thief, stranger, friend];
  friend.peer.lastBlockTime = 5;
  let now = 0;
  const downloads = new BlockDownload(contextOf(fixture, new Set(all.map(({ peer }) => peer))), () => now);
  // Leave initial download. During it, another rule handles peers that withhold blocks.
  const tip = buildBlock(GENESIS, { time: fixture.clock.nowSeconds() - 600 });
  await chain.commands.submitBlock(tip.bytes);
  t.equal(chain.view.isInitialBlockDownload(), false);
  const block = buildBlock(tip);
  await chain.commands.submitHeader(block.header);
  for (const { peer } of all) noteAvailable(chain.view, peer, block.hash);
  const asked = () => {
    for (const { peer } of all) downloads.fillWindow(peer);
    return all.map(({ sent }) => sent.length);
  };
  t.same(asked(), [1, 0, 0]);
  now += 2_000;
  t.same(asked(), [1, 0, 0], 'it may take a while');
  now += 2_000;
  t.same(asked(), [1, 0, 1], 'the peer that sent blocks before');
  t.equal(downloads.requestOf(block.hash)?.peer, friend.peer);
  t.equal(thief.peer.sync.inFlight.length, 0);
  now += 4_000;
  t.same(asked(), [1, 1, 1]);
  now += 4_000;
  t.same(asked(), [1, 1, 1], 'no peer is asked twice');
  downloads.forgetPeer(stranger.peer);
  t.same(asked(), [2, 1, 1], 'when all is over, from the beginning');
});

t.test('requests a withheld block from the next eligible peer, skipping busy and unsuitable ones', async (t) => {
  const fixture = await openFixture();
  t.teardown(() => fixture.end());
  const { chain } = fixture;
  const [thief, stranger, client, busy, gone] = [talkingPeer(), talkingPeer(), talkingPeer(), talkingPeer(), talkingPeer()];
  const all = [thief, stranger, client, busy, gone];
  for (const { peer } of [client, busy]) peer.lastBlockTime = 5;
  client.peer.services = SERVICE.WITNESS;
  gone.peer.leaving = true;
  let now = 0;
  const downloads = new BlockDownload(contextOf(fixture, new Set(all.map(({ peer }) => peer))), () => now);
  const tip = buildBlock(GENESIS, { time: fixture.clock.nowSeconds() - 600 });
  await chain.commands.submitBlock(tip.bytes);
  const block = buildBlock(tip);
  await chain.commands.submitHeader(block.header);
  for (const { peer } of all) noteAvailable(chain.view, peer, block.hash);
  for (let n = 0; n < MAX_BLOCKS_IN_TRANSIT_PER_PEER; n++) downloads.startRequest(busy.peer, new Uint8Array(32).fill(n + 1), null);
  for (const { peer } of [thief, stranger]) downloads.fillWindow(peer);
  now += 4_000;
  for (const { peer } of [gone, busy, stranger]) downloads.fillWindow(peer);
  t.same(
    all.map(({ sent }) => sent.length),
    [1, 1, 0, 0, 0],
  );
  t.equal(downloads.requestOf(block.hash)?.peer, stranger.peer);
});

t.test('does not read a block for a filtered block request of a peer without a filter', async (t) => {
  const fixture = await openFixture();
  t.teardown(() => fixture.end());
  const { chain } = fixture;
  const { peer, sent } = talkingPeer();
  const block = buildBlock(GENESIS);
  await chain.commands.submitBlock(block.bytes);
  let reads = 0;
  const context = contextOf(fixture, new Set([peer]));
  const server = new BlockServer(
    { ...context, options: { ...context.options, services: SERVICE.NETWORK | SERVICE.BLOOM } },
    () => false,
    () => false,
    async () => {},
    new Semaphore(1, () => {
      reads++;
      return false;
    }),
  );
  peer.sync.continueAt = block.hash;
  await server.sendBlock(peer, { type: INV.FILTERED_BLOCK, hash: block.hash });
  t.match(sent, [{ command: 'inv' }], 'getblocks goes on all the same');
  t.equal(reads, 0);
});

t.test('does not request old blocks from a peer that offers NODE_NETWORK_LIMITED only', async (t) => {
  const fixture = await openFixture();
  t.teardown(() => fixture.end());
  const { chain } = fixture;
  const blocks = buildChain(GENESIS, 290);
  await chain.commands.submitHeaders(blocks.map(({ bytes }) => bytes.subarray(0, 80)));
  const askedOf = (services: bigint): number[] => {
    const { peer, sent } = talkingPeer();
    peer.services = services;
    noteAvailable(chain.view, peer, blocks[289]!.hash);
    new BlockDownload(contextOf(fixture, new Set([peer]))).fillWindow(peer);
    // The payload is a count, followed by a type and a hash for each entry.
    const payload = Buffer.from(sent[0]?.payload ?? []);
    return Array.from({ length: payload[0] ?? 0 }, (_, i) => chain.view.node(payload.subarray(5 + i * 36, 37 + i * 36))?.height ?? -1);
  };
  t.same(askedOf(SERVICE.NETWORK | SERVICE.NETWORK_LIMITED | SERVICE.WITNESS).slice(0, 3), [1, 2, 3]);
  t.same(askedOf(SERVICE.NETWORK_LIMITED | SERVICE.WITNESS).slice(0, 3), [5, 6, 7], '286 blocks: it may prune more meanwhile');
});

t.test('requests the lowest blocks that nobody sends, stores, or has refused, in any order of events', async (t) => {
  const fixture = await openFixture({ maxTipAge: IN_DOWNLOAD });
  t.teardown(() => fixture.end());
  const { chain } = fixture;
  const blocks = buildChain(GENESIS, 150);
  await chain.commands.submitHeaders(blocks.map(({ bytes }) => bytes.subarray(0, 80)));
  t.equal(chain.view.isInitialBlockDownload(), true);
  const random = pseudoRandom(7);
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)]!;
  const peers = new Set<Peer>();
  let nowMs = 0;
  const downloads = new BlockDownload(contextOf(fixture, peers), () => nowMs);
  const busy = new Map<number, (stored: boolean) => Promise<void>>();
  const refused = new Map<Peer, Set<number>>();
  const inboxes = new Map<Peer, { command: string; payload: Uint8Array }[]>();
  const inFlight = (height: number) => downloads.requestOf(blocks[height - 1]!.hash);
  const addPeer = (): void => {
    const { peer, sent } = talkingPeer();
    noteAvailable(chain.view, peer, blocks.at(-1)!.hash);
    peers.add(peer);
    refused.set(peer, new Set());
    inboxes.set(peer, sent);
  };
  for (let i = 0; i < 3; i++) addPeer();
  const isMissing = (height: number): boolean =>
    chain.view.atHeight(height) === undefined && !chain.view.node(blocks[height - 1]!.hash)!.hasData;
  const fill = (peer: Peer): void => {
    const slots = downloads.freeSlots(peer);
    const wanted = blocks.map((_, i) => i + 1).filter((height) => isMissing(height) && !busy.has(height) && inFlight(height) === undefined);
    const expected = slots < 8 ? [] : wanted.filter((height) => !refused.get(peer)!.has(height)).slice(0, slots);
    const sent = inboxes.get(peer)!;
    sent.length = 0;
    downloads.fillWindow(peer);
    const payload = Buffer.from(sent[0]?.payload ?? []);
    const got = Array.from({ length: payload[0] ?? 0 }, (_, i) => chain.view.node(payload.subarray(5 + i * 36, 37 + i * 36))!.height);
    if (expected.join() !== got.join()) t.fail(`requested ${got} instead of ${expected}`);
  };
  const arrive = (height: number, isFirstEnded: boolean): void => {
    const { hash, bytes } = blocks[height - 1]!;
    let end = (_: boolean): void => {};
    const stored = new Promise<boolean>((resolve) => {
      end = resolve;
    });
    if (isFirstEnded) downloads.endRequest(hash);
    const work = downloads.whileBusy([hash], async () => {
      if (await stored) await chain.commands.submitBlock(bytes);
    });
    downloads.endRequest(hash);
    busy.set(height, async (isStored) => {
      end(isStored);
      await work;
      busy.delete(height);
    });
  };
  let requests = 0;
  for (let step = 0; step < 2_000; step++) {
    nowMs += Math.floor(random() * 100);
    const peer = pick([...peers]);
    const asked = peer.sync.inFlight.filter(({ refusedAt }) => refusedAt === undefined);
    const what = random();
    if (what < 0.5 && asked.length > 0) arrive(pick(asked).node!.height, random() < 0.5);
    else if (what < 0.8 && busy.size > 0) await pick([...busy.values()])(random() < 0.8);
    else if (what < 0.83 && asked.length > 0) {
      const { node, hash } = pick(asked);
      downloads.notFound(peer, hash);
      refused.get(peer)!.add(node!.height);
    } else if (what < 0.85) {
      downloads.forgetPeer(peer);
      peers.delete(peer);
      addPeer();
    }
    const next = pick([...peers]);
    fill(next);
    requests += inboxes.get(next)!.length;
  }
  t.ok(requests > 20, `${requests} requests`);
  for (const end of busy.values()) await end(true);
  t.same(blocks.map((_, i) => i + 1).filter(isMissing), []);
});

t.test('requires full block history of outbound peers during the initial block download only', async (t) => {
  const everything = SERVICE.NETWORK | SERVICE.WITNESS;
  const recent = SERVICE.NETWORK_LIMITED | SERVICE.WITNESS;
  t.equal(desirableServices(everything | recent, true), everything);
  t.equal(desirableServices(recent, true), everything, 'in initial download old blocks are needed');
  t.equal(desirableServices(recent, false), recent);
  t.equal(desirableServices(SERVICE.WITNESS, false), everything);
});
