// Compact blocks in the node's room: for whom the mempool is searched, and how often, since a header that others made
// and a few bytes are all that a search costs its sender.
import t from 'tap';
import { parseTx } from '../../../../src/consensus/tx/tx-view.js';
import { createPureHashes } from '../../../../src/crypto/pure.js';
import { encodeCompactBlock } from '../../../../src/net/wire/compact-block.js';
import { type BuiltBlock, buildBlock } from '../../../framework/chain-builder.js';
import { serializeTx, type Tx } from '../../../framework/messages.js';
import { type FakePeer, NetWorld } from '../../../framework/net-world.js';

const hashes = createPureHashes();

async function worldOf(t: { teardown(end: () => unknown): void }) {
  const world = await NetWorld.open();
  t.teardown(() => world.end());
  const tip = (await world.grow(2)).at(-1) as BuiltBlock;
  const { rows } = world.mempool.records;
  const here = rows.here.bind(rows);
  const searches = { count: 0 };
  rows.here = () => {
    searches.count++;
    return here();
  };
  return { world, tip, searches };
}

/** cmpctblock of a block: its coinbase, and these short ids in the place of all else. */
function compact({ header, txs }: BuiltBlock, ...shortIds: number[]): Uint8Array {
  const coinbase = parseTx(serializeTx(txs[0] as Tx), hashes);
  return encodeCompactBlock({ header, nonce: 1n, shortIds, prefilled: [{ index: 0, tx: coinbase }] });
}

async function send(peer: FakePeer, messages: number, payload: Uint8Array): Promise<void> {
  for (let i = 0; i < messages; i++) peer.send('cmpctblock', payload);
  await peer.sync();
}

t.test('the mempool is searched once for the peer that is asked for a block, and not for others that call', async (t) => {
  const { world, tip, searches } = await worldOf(t);
  const [first, second] = [await world.guest(), await world.guest()];
  // Another block than the one its header stands for: the whole one has to be fetched.
  const next = buildBlock(tip, { breakMerkle: true });
  await send(first, 3, compact(next));
  t.equal(searches.count, 1);
  await send(second, 3, compact(next));
  t.equal(searches.count, 1, 'it can not be asked for what the mempool lacks');
  first.close();
  await world.pass(0);
  await send(second, 1, compact(next));
  t.equal(searches.count, 2, 'now it can');
});

t.test('it is searched for a peer that the node chose though another is asked', async (t) => {
  const { world, tip, searches } = await worldOf(t);
  const [guest, host] = [await world.guest(), await world.host('9.9.9.9')];
  const next = buildBlock(tip);
  // The guest keeps the rest to itself.
  await send(guest, 1, compact(next, 1));
  t.equal(searches.count, 1);
  await send(host, 1, compact(next));
  t.equal(searches.count, 2);
  t.equal(world.fixture.chain.tip.height, 3, 'it brought the block');
});

t.test('honest peers that pass on a block before its scripts ran do not answer for it', async (t) => {
  const { world, tip } = await worldOf(t);
  const hosts = [await world.host('9.9.9.9'), await world.host('9.10.9.9')];
  const wrong = buildBlock(tip, { fees: 1 });
  for (const host of hosts) await send(host, 2, compact(wrong));
  t.equal(world.fixture.chain.node(wrong.hash)?.failed, true);
  t.same(
    hosts.map(({ closed }) => closed),
    [false, false],
  );
});
