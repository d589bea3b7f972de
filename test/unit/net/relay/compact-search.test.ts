// Tests compact blocks in the network module: for which peers the mempool is searched, and how often. A search costs
// the sender of a block only a header of another miner and a few bytes.
import t from 'tap';
import { parseTx } from '../../../../src/consensus/tx/tx-view.js';
import { createPureHashes } from '../../../../src/crypto/pure.js';
import { encodeCompactBlock } from '../../../../src/net/wire/compact-block.js';
import { type BuiltBlock, buildBlock } from '../../../framework/chain-builder.js';
import { serializeTx, type Tx } from '../../../framework/messages.js';
import { type FakePeer, NetWorld } from '../../../framework/net-world.js';
import { headersPayload } from '../../../framework/p2p-client.js';

const hashes = createPureHashes();

async function worldOf(t: { teardown(end: () => unknown): void }, legacyPeers = false) {
  const world = await NetWorld.open({ net: { legacyPeers } });
  t.teardown(() => world.end());
  const tip = (await world.grow(2)).at(-1) as BuiltBlock;
  const { rows } = world.mempool.records;
  const here = rows.here.bind(rows);
  const searches = { count: 0 };
  rows.here = () => {
    searches.count++;
    return here();
  };
  /** The peer may send blocks without a request. */
  const chosen = (one: FakePeer): FakePeer => {
    one.peer.compact.provides = true;
    world.net.relay.highBandwidth.onGoodBlock(one.peer);
    return one;
  };
  return { world, tip, searches, chosen };
}

/** Payload of a cmpctblock message: the coinbase, and these short ids for all other transactions. */
function compact({ header, txs }: BuiltBlock, ...shortIds: number[]): Uint8Array {
  const coinbase = parseTx(serializeTx(txs[0] as Tx), hashes);
  return encodeCompactBlock({ header, nonce: 1n, shortIds, prefilled: [{ index: 0, tx: coinbase }] });
}

async function send(peer: FakePeer, messages: number, payload: Uint8Array): Promise<void> {
  for (let i = 0; i < messages; i++) peer.send('cmpctblock', payload);
  await peer.sync();
}

t.test('searches the mempool once for each high-bandwidth peer, and for no other peer', async (t) => {
  const { world, tip, searches, chosen } = await worldOf(t);
  const [guest, host] = [await world.guest(), await world.host('9.9.9.9')];
  // The block does not match its header, so the node has to request the whole block.
  const next = buildBlock(tip, { breakMerkle: true });
  await send(guest, 1, compact(next));
  t.equal(world.fixture.chain.view.node(next.hash), undefined, 'of a peer that does not speak of compact blocks nothing is read');
  for (const { peer } of [guest, host]) peer.compact.provides = true;
  await send(guest, 3, compact(next));
  await send(host, 3, compact(next));
  t.equal(searches.count, 0);
  for (const one of [await world.guest(), await world.guest()]) await send(chosen(one), 3, compact(next));
  t.equal(searches.count, 2);
});

t.test('disconnects a peer that sends an invalid compact block where one was wanted', async (t) => {
  const { world, tip, chosen } = await worldOf(t);
  const [guest, second, asked] = [await world.guest(), await world.guest({}, '9.9.9.9'), await world.guest({}, '9.10.9.9')];
  const { header, hash } = buildBlock(tip);
  const empty = encodeCompactBlock({ header, nonce: 1n, shortIds: [], prefilled: [] });
  for (const { peer } of [guest, asked]) peer.compact.provides = true;
  asked.send('headers', headersPayload([header]));
  // Type 4 is a compact block.
  t.equal((await asked.next('getdata')).readUInt32LE(1), 4);
  asked.send('cmpctblock', empty);
  await asked.ended();
  t.equal(world.net.sync.downloads.requestOf(hash), undefined);
  chosen(second).send('cmpctblock', empty);
  await second.ended();
  await send(guest, 1, empty);
  t.equal(guest.closed, false, 'unrequested: it is not checked');
  t.same(
    world.said('Misbehaving'),
    [asked, second].map(({ peer }) => `Misbehaving: peer=${peer.id}: invalid compact block`),
  );
});

t.test('accepts a compact block from a peer that was asked before another one', async (t) => {
  const { world, tip, searches } = await worldOf(t);
  const [late, other] = [await world.guest(), await world.guest()];
  for (const { peer } of [late, other]) peer.compact.provides = true;
  const next = buildBlock(tip);
  for (const one of [late, other]) {
    one.send('headers', headersPayload([next.header]));
    await one.sync();
  }
  const { downloads } = world.net.sync;
  const { chain } = world.fixture;
  t.equal(downloads.startRequest(other.peer, next.hash, chain.view.node(next.hash) ?? null), true);
  await send(late, 1, compact(next));
  t.equal(searches.count, 1);
  t.equal(chain.view.tip.height, 3);
});

t.test('in 0.21 mode: searches the mempool for the requested peer only, and once', async (t) => {
  const { world, tip, searches } = await worldOf(t, true);
  const [first, second] = [await world.guest(), await world.guest()];
  // The block does not match its header, so the node has to request the whole block.
  const next = buildBlock(tip, { breakMerkle: true });
  await send(first, 3, compact(next));
  t.equal(searches.count, 1);
  await send(second, 3, compact(next));
  t.equal(searches.count, 1, 'the missing transactions cannot be requested from it');
  first.close();
  await world.pass(0);
  await send(second, 1, compact(next));
  t.equal(searches.count, 2, 'now it can');
});

t.test('in 0.21 mode: searches the mempool for an outbound peer while another peer is asked', async (t) => {
  const { world, tip, searches } = await worldOf(t, true);
  const [guest, host] = [await world.guest(), await world.host('9.9.9.9')];
  const next = buildBlock(tip);
  // The guest does not send the missing transactions.
  await send(guest, 1, compact(next, 1));
  t.equal(searches.count, 1);
  await send(host, 1, compact(next));
  t.equal(searches.count, 2);
  t.equal(world.fixture.chain.view.tip.height, 3, 'it completed the block');
});

t.test('does not penalise peers that relay a block before its scripts were verified', async (t) => {
  const { world, tip, chosen } = await worldOf(t);
  const hosts = [chosen(await world.host('9.9.9.9')), chosen(await world.host('9.10.9.9'))];
  const wrong = buildBlock(tip, { fees: 1 });
  for (const host of hosts) await send(host, 2, compact(wrong));
  t.equal(world.fixture.chain.view.node(wrong.hash)?.failed, true);
  t.same(
    hosts.map(({ closed }) => closed),
    [false, false],
  );
});
