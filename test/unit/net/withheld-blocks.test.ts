// Tests blocks that a peer does not send after a request: when the request ends, and the consequences.
import { EventEmitter } from 'node:events';
import t from 'tap';
import type { HeaderNode } from '../../../src/chain/tree/header-node.js';
import { silentLogger } from '../../../src/log/logger.js';
import type { NetContext } from '../../../src/net/context.js';
import { NO_PERMISSIONS } from '../../../src/net/options.js';
import { Keepalive } from '../../../src/net/peer/keepalive.js';
import { Peer } from '../../../src/net/peer/peer.js';
import type { SocketConnection } from '../../../src/net/peer/socket-connection.js';
import { noteAvailable } from '../../../src/net/sync/availability.js';
import { BlockDownload } from '../../../src/net/sync/block-download.js';
import { SERVICE } from '../../../src/net/wire/protocol.js';
import { type BuiltBlock, buildBlock, buildChain, GENESIS } from '../../framework/chain-builder.js';
import { type Fixture, facesOf, openFixture } from '../../framework/chain-fixture.js';

/**
 * Makes the network module with a chain that is out of initial download, and peers that record the messages they
 * receive.
 */
async function roomOf(t: { teardown(end: () => unknown): void }, peerCount: number) {
  const fixture: Fixture = await openFixture();
  t.teardown(() => fixture.end());
  const { chain, clock } = fixture;
  const time = { ms: 0, mockMs: clock.nowSeconds() * 1_000 };
  const sent: { id: number; command: string; payload: Uint8Array }[] = [];
  const peers = new Set<Peer>();
  for (let id = 0; id < peerCount; id++) {
    const peer = new Peer(id, 'inbound', { network: 'ipv4', bytes: Uint8Array.of(127, 0, 0, 1), port: 1 }, '', '', NO_PERMISSIONS, 0);
    peer.services = SERVICE.NETWORK | SERVICE.WITNESS;
    peer.version = 70_016;
    peer.connection = {
      send: (command: string, payload: Uint8Array) => sent.push({ id, command, payload }),
    } as unknown as SocketConnection;
    peers.add(peer);
  }
  const context = {
    options: { services: SERVICE.NETWORK | SERVICE.WITNESS },
    params: chain.view.params,
    ...facesOf(chain),
    clock: { nowSeconds: () => time.mockMs / 1_000, nowMs: () => time.mockMs, realSeconds: () => time.mockMs / 1_000 },
    log: silentLogger,
    peers,
    scheduleRound: () => {},
    events: new EventEmitter(),
  } as unknown as NetContext;
  const downloads = new BlockDownload(context, () => time.ms);
  const keepalive = new Keepalive(context);
  context.events.on('pong', (peer) => downloads.answeredPing(peer));
  const tip = buildBlock(GENESIS, { time: clock.nowSeconds() - 6_000 });
  await chain.commands.submitBlock(tip.bytes);
  /** Heights requested from a peer since the last call. */
  const asked = (peer: Peer): number[] => {
    const heights: number[] = [];
    for (const one of sent.splice(0)) {
      if (one.command !== 'getdata' || one.id !== peer.id) continue;
      const payload = Buffer.from(one.payload);
      for (let i = 0; i < (payload[0] as number); i++) {
        heights.push(chain.view.node(payload.subarray(5 + i * 36, 37 + i * 36))?.height ?? -1);
      }
    }
    return heights;
  };
  const announce = async (peer: Peer, blocks: readonly BuiltBlock[]): Promise<void> => {
    await chain.commands.submitHeaders(blocks.map(({ header }) => header));
    noteAvailable(chain.view, peer, (blocks.at(-1) as BuiltBlock).hash);
  };
  /** The peer answers the last ping that it received. */
  const pong = (peer: Peer): void => {
    const ping = sent.findLast((one) => one.command === 'ping' && one.id === peer.id);
    keepalive.pong(peer, ping?.payload as Uint8Array);
  };
  return { chain, downloads, keepalive, time, tip, sent, peers: [...peers] as [Peer, Peer, ...Peer[]], asked, announce, pong };
}

const upTo = (first: number, last: number): number[] => Array.from({ length: last - first + 1 }, (_, i) => first + i);

t.test('treats blocks as refused when a peer answers a later ping without sending them', async (t) => {
  const { downloads, keepalive, time, tip, peers, asked, announce, pong } = await roomOf(t, 2);
  const [first, second] = peers;
  const blocks: BuiltBlock[] = [];
  for (let prev = tip; blocks.length < 40; prev = blocks.at(-1) as BuiltBlock) blocks.push(buildBlock(prev, { time: prev.time + 1 }));
  await announce(first, blocks);
  await announce(second, blocks.slice(0, 20));
  // A ping that was sent before a request says nothing about that request.
  first.pingWanted = true;
  keepalive.send(first);
  const early = first.pingNonce;
  downloads.fillWindow(first);
  t.same(first.pingNonce, early);
  pong(first);
  t.equal(downloads.size, 16);
  t.equal(first.pingWanted, false, 'a block may take its time');
  time.ms += 3_001;
  downloads.overdue(first);
  t.equal(first.pingWanted, true, 'then it is asked whether it is still at it');
  keepalive.send(first);
  downloads.fillWindow(second);
  t.same(asked(second), upTo(18, 21), 'meanwhile other blocks are requested from other peers');
  first.pingWanted = true;
  keepalive.send(first);
  pong(first);
  downloads.fillWindow(second);
  t.same(asked(second), upTo(2, 13), 'and then for the same');
  downloads.fillWindow(first);
  t.same(asked(first), upTo(22, 37), 'what it refused it is not asked again');
});

t.test('gives a peer three seconds for older requests although it has answered a later ping', async (t) => {
  const { downloads, keepalive, time, tip, peers, announce, pong } = await roomOf(t, 1);
  const [peer] = peers;
  await announce(peer, buildChain(tip, 2));
  downloads.fillWindow(peer);
  const ping = (): void => {
    peer.pingWanted = true;
    keepalive.send(peer);
    pong(peer);
  };
  time.ms += 2_999;
  ping();
  t.equal(downloads.size, 2, 'they may still come');
  time.ms += 2;
  downloads.overdue(peer);
  t.equal(peer.pingWanted, true, 'it is asked again');
  ping();
  t.equal(downloads.size, 0, 'now they have been refused');
});

t.test('disconnects a peer that refuses a better chain, but not one with a rival of the tip', async (t) => {
  const { downloads, time, tip, peers, asked, announce } = await roomOf(t, 2);
  const [liar, honest] = peers;
  const better = buildChain(tip, 2);
  const rival = buildBlock(GENESIS, { tag: 1, time: tip.time });
  await announce(liar, better);
  await announce(honest, [rival]);
  downloads.fillWindow(liar);
  t.same(asked(liar), [2, 3]);
  downloads.fillWindow(honest);
  t.same(asked(honest), [1]);
  for (const { hash } of better) downloads.notFound(liar, hash);
  downloads.notFound(liar, rival.hash);
  t.equal(downloads.size, 1, 'the rival was not requested from this peer');
  downloads.notFound(honest, rival.hash);
  t.equal(downloads.size, 0);
  for (const peer of peers) {
    downloads.fillWindow(peer);
    t.same(asked(peer), []);
    t.equal(downloads.overdue(peer), null);
  }
  time.mockMs += 16 * 60_000;
  t.match(downloads.overdue(liar), /^Timeout downloading block/);
  t.equal(downloads.overdue(honest), null);
});

t.test('frees the slots of block requests that the best chain has made obsolete', async (t) => {
  const { chain, downloads, tip, peers, asked, announce } = await roomOf(t, 2);
  const [peer] = peers;
  const rivals = Array.from({ length: 16 }, (_, tag) => buildBlock(GENESIS, { tag: tag + 1, time: tip.time }));
  for (const rival of rivals) {
    await announce(peer, [rival]);
    downloads.fillWindow(peer);
  }
  t.equal(asked(peer).length, 16);
  t.equal(downloads.freeSlots(peer), 0);
  // A block that an operator requests (getblockfrompeer) is wanted although it is not on the best chain.
  const stale = buildBlock(GENESIS, { tag: 99, time: tip.time });
  await chain.commands.submitHeaders([stale.header]);
  peers[1].ready = true;
  t.equal(downloads.requestByHand(stale.hash, peers[1]), null);
  await chain.commands.submitBlock(buildBlock(tip).bytes);
  t.equal(downloads.freeSlots(peer), 16);
  t.equal(downloads.freeSlots(peers[1]), 15);
  t.equal(downloads.size, 1);
  t.equal(peer.sync.inFlight.length, 0);
});

t.test('requests a refused block again when its peer announces a block on top of it', async (t) => {
  const { downloads, tip, peers, asked, announce } = await roomOf(t, 2);
  const [peer] = peers;
  const [one, two] = buildChain(tip, 2) as [BuiltBlock, BuiltBlock];
  await announce(peer, [one]);
  downloads.fillWindow(peer);
  downloads.notFound(peer, one.hash);
  downloads.fillWindow(peer);
  t.same(asked(peer), [2]);
  await announce(peer, [two]);
  downloads.fillWindow(peer);
  t.same(asked(peer), [2, 3]);
  t.equal(peer.sync.inFlight.length, 2);
});

t.test('requests a block from each of many peers that withhold it', async (t) => {
  const { chain, downloads, time, tip, peers, announce } = await roomOf(t, 9);
  const block = buildBlock(tip);
  for (const peer of peers) await announce(peer, [block]);
  const askedOf = new Set<Peer>();
  for (let seconds = 0; seconds < 15 * 60; seconds++) {
    for (const peer of peers) {
      // The peers do not answer pings either.
      peer.pingNonce = 1n;
      downloads.fillWindow(peer);
      const asked = downloads.requestOf(block.hash)?.peer;
      if (asked !== undefined) askedOf.add(asked);
    }
    time.ms += 1_000;
  }
  t.equal(askedOf.size, 9);
  t.equal(chain.view.tip.hashHex, tip.hashHex);
});

t.test('doubles the stalling timeout for each stalling peer, and lowers it with each block', async (t) => {
  const { downloads, time, peers } = await roomOf(t, 8);
  /** Seconds after which a peer that stalls the window from now on is disconnected. */
  const patience = (peer: Peer): number => {
    peer.sync.stallingSinceMs = time.mockMs;
    for (let seconds = 0; ; seconds++) {
      if (downloads.overdue(peer) !== null) return seconds;
      time.mockMs += 1_000;
    }
  };
  // Each value is the first second after the timeout.
  t.same(peers.slice(0, 7).map(patience), [3, 5, 9, 17, 33, 65, 65]);
  downloads.onConnected(1);
  t.equal(patience(peers[7] as Peer), 55, '0.85 of it');
  downloads.onConnected(100);
  t.equal(patience(peers[0]), 3);
});

t.test('blames no peer for a full window while the first block of the window is being processed', async (t) => {
  const { chain, downloads, tip, peers, announce } = await roomOf(t, 2);
  const [holder, other] = peers as [Peer, Peer];
  // The window ends 1,024 blocks after the tip.
  const blocks: BuiltBlock[] = [];
  for (let prev = tip; blocks.length < 1_025; prev = blocks.at(-1) as BuiltBlock) blocks.push(buildBlock(prev, { time: prev.time + 1 }));
  for (const peer of peers) await announce(peer, blocks);
  const isBlamed = async (withheld: BuiltBlock): Promise<boolean> => {
    downloads.requestBlocks(holder, [chain.view.node(withheld.hash) as HeaderNode]);
    const others = blocks.slice(0, 1_024).filter((block) => block !== withheld);
    await downloads.whileBusy(
      others.map(({ hash }) => hash),
      async () => downloads.fillWindow(other),
    );
    const blamed = holder.sync.stallingSinceMs !== 0;
    downloads.endRequest(withheld.hash);
    return blamed;
  };
  t.equal(await isBlamed(blocks[500] as BuiltBlock), false);
  t.equal(await isBlamed(blocks[0] as BuiltBlock), true);
});

t.test('requests a refused block from an outbound peer next, however many peers refuse it', async (t) => {
  const { downloads, time, tip, peers, asked, announce } = await roomOf(t, 20);
  const honest = peers.at(-1) as Peer;
  Object.assign(honest, { type: 'outbound-full-relay' });
  const block = buildBlock(tip, { time: tip.time + 1 });
  for (const peer of peers) await announce(peer, [block]);
  const [first] = peers;
  downloads.fillWindow(first);
  t.same(asked(first), [2]);
  for (let refusals = 0; downloads.requestOf(block.hash)?.peer !== honest; time.ms += 100) {
    const holder = downloads.requestOf(block.hash);
    if (holder !== undefined && time.ms - holder.sinceMs >= 2_900) {
      downloads.notFound(holder.peer, block.hash);
      if (++refusals > 1) break;
    }
    for (const peer of peers) downloads.fillWindow(peer);
  }
  t.same(asked(honest), [2], 'the peer that we chose comes next');
  t.ok(time.ms < 3_100, `after ${time.ms} ms`);
  // This peer refuses too, so the node requests the block from the remaining one.
  downloads.notFound(honest, block.hash);
  for (const peer of peers) downloads.fillWindow(peer);
  t.not(downloads.requestOf(block.hash), undefined);
});

t.test('requests a refused block from another peer although a trusted one is never asked', async (t) => {
  const { downloads, time, tip, peers, asked, announce } = await roomOf(t, 3);
  const [first, second, trusted] = peers as [Peer, Peer, Peer];
  Object.assign(trusted, { type: 'outbound-full-relay' });
  const block = buildBlock(tip, { time: tip.time + 1 });
  for (const peer of peers) await announce(peer, [block]);
  downloads.fillWindow(first);
  downloads.notFound(first, block.hash);
  downloads.fillWindow(second);
  t.same(asked(second), []);
  time.ms += 3_000;
  downloads.fillWindow(second);
  t.same(asked(second), [2]);
});
