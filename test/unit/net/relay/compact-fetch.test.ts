// Tests compact block requests: only a single new block near the tip is requested as a compact block, whichever part of
// the node requests it.
import t from 'tap';
import { type BuiltBlock, buildBlock, buildChain } from '../../../framework/chain-builder.js';
import { type FakePeer, NetWorld } from '../../../framework/net-world.js';
import { headersPayload, invPayload } from '../../../framework/p2p-client.js';

const BLOCK = 2;
const COMPACT_BLOCK = 4;
const WITNESS_BLOCK = 0x40000002;

async function worldOf(t: { teardown(end: () => unknown): void }, ageSeconds = 60) {
  const world = await NetWorld.open();
  t.teardown(() => world.end());
  const tip = (await world.grow(2, { ageSeconds })).at(-1) as BuiltBlock;
  const guest = async (): Promise<FakePeer> => {
    const peer = await world.guest();
    peer.peer.compact.provides = true;
    return peer;
  };
  return { world, tip, guest };
}

/** Types of the inventory entries requested from a peer, in order. */
const typesAsked = (peer: FakePeer): number[] =>
  peer
    .take()
    .filter(({ command }) => command === 'getdata')
    .flatMap(({ payload }) => Array.from({ length: payload[0] as number }, (_, i) => payload.readUInt32LE(1 + i * 36)));

t.test('requests a compact block when the header comes from elsewhere', async (t) => {
  const { world, tip, guest } = await worldOf(t);
  const peer = await guest();
  const next = buildBlock(tip);
  peer.send('inv', invPayload([[BLOCK, next.hash]]));
  await peer.sync();
  t.same(typesAsked(peer), [], 'its header is requested first');
  await world.fixture.chain.commands.submitHeaders([next.header]);
  await world.round();
  t.same(typesAsked(peer), [COMPACT_BLOCK]);
});

t.test('requests a block from the sender of its header before a peer that only sent its hash', async (t) => {
  const { world, tip, guest } = await worldOf(t);
  const [named, sender] = [await guest(), await guest()];
  const next = buildBlock(tip);
  named.send('inv', invPayload([[BLOCK, next.hash]]));
  await named.sync();
  named.take();
  const { chain } = world.fixture;
  const submit = chain.commands.submitHeaders.bind(chain.commands);
  chain.commands.submitHeaders = async (headers) => {
    const result = await submit(headers);
    // The header is in the tree, and the node has not requested the block from its sender yet.
    await world.round();
    return result;
  };
  sender.send('headers', headersPayload([next.header]));
  await sender.sync();
  t.same([typesAsked(named), typesAsked(sender)], [[], [COMPACT_BLOCK]]);
});

t.test('requests whole blocks where a compact block is useless', async (t) => {
  await t.test('requests whole blocks when it requests two at a time', async (t) => {
    const { world, tip, guest } = await worldOf(t);
    const peer = await guest();
    const [first, second] = buildChain(tip, 2) as [BuiltBlock, BuiltBlock];
    peer.send('inv', invPayload([[BLOCK, second.hash]]));
    await peer.sync();
    peer.take();
    await world.fixture.chain.commands.submitHeaders([first.header, second.header]);
    await world.round();
    t.same(typesAsked(peer), [WITNESS_BLOCK, WITNESS_BLOCK]);
  });
  await t.test('requests a whole block when the tip is old and the mempool cannot help', async (t) => {
    // The tip is a little older than twenty block intervals.
    const { world, tip, guest } = await worldOf(t, 20 * 600 + 1);
    const peer = await guest();
    const next = buildBlock(tip);
    peer.send('headers', headersPayload([next.header]));
    await peer.sync();
    await world.round();
    t.same(typesAsked(peer), [WITNESS_BLOCK]);
  });
});
