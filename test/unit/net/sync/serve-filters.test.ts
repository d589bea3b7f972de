// Tests filters for light clients (BIP-0157): the work that one short message may cause, and the time that is charged
// to the peer that sends it.
import t from 'tap';
import { chainParams } from '../../../../src/consensus/params/networks.js';
import { silentLogger } from '../../../../src/log/logger.js';
import type { NetContext } from '../../../../src/net/context.js';
import { NO_PERMISSIONS } from '../../../../src/net/options.js';
import { Peer } from '../../../../src/net/peer/peer.js';
import type { SocketConnection } from '../../../../src/net/peer/socket-connection.js';
import { FilterServer } from '../../../../src/net/sync/serve-filters.js';
import { type BuiltBlock, buildBlock, buildChain, GENESIS } from '../../../framework/chain-builder.js';
import { crypto, openFixture } from '../../../framework/chain-fixture.js';
import { compactSize } from '../../../framework/messages.js';

/** A simulated hash, header or filter of a block: the block's hash with another first byte. */
const marked = (hash: Uint8Array, mark: number): Uint8Array => Uint8Array.of(mark, ...hash.subarray(1));

t.test('serves filter headers and checkpoints without reading filters, and charges the peer', async (t) => {
  const fixture = await openFixture();
  t.teardown(() => fixture.end());
  const { chain } = fixture;
  const blocks = buildChain(GENESIS, 2_100);
  for (const { bytes } of blocks) await chain.commands.submitBlock(bytes);
  const count = { filters: 0, heads: 0, hashed: 0, charged: 0, atOnce: 0, most: 0 };
  const source = {
    find: async (hash: Uint8Array) => {
      count.filters++;
      return { filter: marked(hash, 1), header: marked(hash, 2) };
    },
    heads: async (hashes: readonly Uint8Array[]) => {
      count.heads += hashes.length;
      count.most = Math.max(count.most, ++count.atOnce);
      await new Promise(setImmediate);
      count.atOnce--;
      return hashes.map((hash) => ({ hash: marked(hash, 3), header: marked(hash, 2) }));
    },
  };
  const hashing = {
    ...crypto,
    sha256d: (bytes: Uint8Array) => {
      count.hashed++;
      return crypto.sha256d(bytes);
    },
  };
  const server = new FilterServer(
    {
      chain: chain.view,
      crypto: hashing,
      log: silentLogger,
      disconnect: () => {},
      chargeTo: (_: Peer, work: () => unknown) => {
        count.charged++;
        return work();
      },
    } as unknown as NetContext,
    source,
  );
  const sent: { command: string; payload: Buffer }[] = [];
  const peers = Array.from({ length: 9 }, (_, id) => {
    const peer = new Peer(id, 'inbound', { network: 'ipv4', bytes: new Uint8Array(4), port: 1 }, '', '', NO_PERMISSIONS, 0);
    peer.connection = {
      sendPaused: false,
      send: (command: string, payload: Uint8Array) => sent.push({ command, payload: Buffer.from(payload) }),
    } as unknown as SocketConnection;
    return peer;
  });
  const [peer] = peers as [Peer];
  const hashAt = (height: number): Buffer => blocks[height - 1]!.hash;
  const start = Buffer.alloc(4);
  start.writeUInt32LE(101);
  const range = Buffer.concat([Buffer.of(0), start, hashAt(2_100)]);

  await server.headers(peer, range);
  const wanted = [
    Buffer.of(0),
    hashAt(2_100),
    Buffer.from(marked(hashAt(100), 2)),
    compactSize(2_000),
    ...Array.from({ length: 2_000 }, (_, i) => Buffer.from(marked(hashAt(101 + i), 3))),
  ];
  t.equal(sent[0]?.command, 'cfheaders');
  t.ok(sent[0]?.payload.equals(Buffer.concat(wanted)));
  t.same([count.filters, count.hashed, count.heads], [0, 0, 2_001]);
  t.ok(count.charged > 0);

  const checkpoints = Buffer.concat([Buffer.of(0), hashAt(2_100)]);
  await server.checkpoints(peer, checkpoints);
  await server.checkpoints(peer, checkpoints);
  const both = [Buffer.of(0), hashAt(2_100), compactSize(2), Buffer.from(marked(hashAt(1_000), 2)), Buffer.from(marked(hashAt(2_000), 2))];
  for (const { command, payload } of sent.slice(1)) {
    t.equal(command, 'cfcheckpt');
    t.ok(payload.equals(Buffer.concat(both)));
  }
  t.equal(sent.length, 3);
  t.same([count.filters, count.heads], [0, 2_003], 'headers of the second request were cached');

  count.most = 0;
  await Promise.all(peers.map((one) => server.headers(one, range)));
  t.equal(sent.length, 12);
  t.ok(count.most <= 4, `${count.most} at a time`);
});

t.test('does not serve filter headers of stale blocks older than thirty days', async (t) => {
  const [rival] = buildChain(GENESIS, 1) as [BuiltBlock];
  const source = {
    find: async () => undefined,
    heads: async (hashes: readonly Uint8Array[]) => hashes.map(() => ({ hash: new Uint8Array(32), header: new Uint8Array(32) })),
  };
  for (const [days, answer] of [
    [29, 'cfheaders'],
    [31, 'disconnect'],
  ] as const) {
    const fixture = await openFixture();
    t.teardown(() => fixture.end());
    const { chain } = fixture;
    await chain.commands.submitBlock(rival.bytes);
    const better = buildBlock(GENESIS, { tag: 1, time: rival.time + 1 });
    await chain.commands.submitBlock(better.bytes);
    await chain.commands.submitBlock(buildBlock(better, { time: rival.time + days * 24 * 60 * 60 }).bytes);
    t.equal(chain.view.tip.height, 2);
    const told: string[] = [];
    const params = chainParams('regtest');
    const context = {
      chain: chain.view,
      params,
      log: silentLogger,
      disconnect: () => told.push('disconnect'),
      chargeTo: (_: Peer, work: () => unknown) => work(),
    };
    const peer = new Peer(1, 'inbound', { network: 'ipv4', bytes: new Uint8Array(4), port: 1 }, '', '', NO_PERMISSIONS, 0);
    peer.connection = { sendPaused: false, send: (command: string) => told.push(command) } as unknown as SocketConnection;
    await new FilterServer(context as unknown as NetContext, source).headers(peer, Buffer.concat([Buffer.alloc(5), rival.hash]));
    t.same(told, [answer], `${days} days`);
  }
});
