// Tests which parts of the chain peers get, message by message against the whole network module: blocks that a pruned
// node serves, blocks off the best chain, and limits per request. The bounds are written out from Core's
// net_processing.cpp.
import t, { type Test } from 'tap';
import { type BuiltBlock, buildBlock, buildChain, GENESIS, REGTEST_BITS, reward, spend } from '../../framework/chain-builder.js';
import { grind, serializeHeader, txid } from '../../framework/messages.js';
import { type FakePeer, NetWorld, type WorldOptions } from '../../framework/net-world.js';
import { invPayload, locatorPayload } from '../../framework/p2p-client.js';
import { NO_POLICY } from '../../framework/pool-under-test.js';

const WITNESS_BLOCK = 0x40000002;
const TX = 1;
const TRUSTED = {
  noban: true,
  relay: false,
  forcerelay: false,
  mempool: false,
  download: false,
  addr: false,
  bloomfilter: false,
  implicit: false,
};

async function open(t: Test, options: WorldOptions = {}): Promise<NetWorld> {
  const world = await NetWorld.open(options);
  t.teardown(() => world.end());
  return world;
}

/** Requests a block. @returns true if the node sent it, null if the node closed the connection */
async function gets(peer: FakePeer, hash: Uint8Array): Promise<boolean | null> {
  peer.take();
  peer.send('getdata', invPayload([[WITNESS_BLOCK, hash]]));
  try {
    await peer.sync();
  } catch {
    return null;
  }
  return peer.commands.includes('block');
}

t.test('serves blocks and headers within the limits of a pruned node', async (t) => {
  const world = await open(t, { net: { services: 1032n } });
  const blocks = await world.grow(502);
  const hashAt = (height: number): Buffer => (blocks[height - 1] as BuiltBlock).hash;
  const guest = await world.guest();
  await t.test('serves two blocks more than the 288 promised by NODE_NETWORK_LIMITED', async (t) => {
    t.equal(await gets(guest, hashAt(502 - 290)), true);
    t.equal(await gets(guest, hashAt(502 - 291)), null, 'others end the connection');
    t.equal(world.said('Ignore block request below NODE_NETWORK_LIMITED threshold').length, 1);
    const trusted = await world.guest({}, '8.8.4.4', TRUSTED);
    t.equal(await gets(trusted, hashAt(502 - 291)), true, 'unless the operator trusts the peer');
  });
  await t.test('answers getblocks with 500 hashes, and continues once the last one is fetched', async (t) => {
    const trusted = await world.guest({}, '8.8.4.4', TRUSTED);
    trusted.take();
    trusted.send('getblocks', locatorPayload([GENESIS.hash]));
    await trusted.sync();
    const invs = trusted.take().filter(({ command }) => command === 'inv');
    t.same(
      invs.map(({ payload }) => payload.readUInt16LE(1)),
      [500],
    );
    t.same(invs[0]?.payload.subarray(-32), hashAt(500));
    t.equal(await gets(trusted, hashAt(499)), true);
    t.equal(trusted.commands.includes('inv'), false);
    t.equal(await gets(trusted, hashAt(500)), true);
    t.same((await trusted.next('inv')).subarray(-32), hashAt(502), 'the tip');
  });
  await t.test('sends headers up to the stop hash of getheaders', async (t) => {
    const other = await world.guest({}, '8.8.2.2');
    other.take();
    other.send('getheaders', locatorPayload([hashAt(10)], hashAt(13)));
    const headers = await other.next('headers');
    t.same([headers[0], headers.length], [3, 1 + 3 * 81]);
    t.same(headers.subarray(1, 81), (blocks[10] as BuiltBlock).header);
  });
});

t.test('serves a block off the best chain for thirty days', async (t) => {
  const DAYS = 30 * 86_400;
  const world = await open(t);
  const { chain, clock } = world.fixture;
  const start = clock.seconds - 40 * 86_400;
  const fork = buildBlock(GENESIS, { time: start, tag: 1 });
  await chain.commands.submitBlock(fork.bytes);
  const one = buildBlock(GENESIS, { time: start + 5 });
  const two = buildBlock(one, { time: start + DAYS - 1 });
  for (const { bytes } of [one, two]) await chain.commands.submitBlock(bytes);
  t.equal(chain.view.tip.hashHex, two.hashHex);
  const guest = await world.guest();
  const headers = async (): Promise<boolean> => {
    guest.take();
    guest.send('getheaders', locatorPayload([], fork.hash));
    await guest.sync();
    return guest.commands.includes('headers');
  };
  t.same([await gets(guest, fork.hash), await headers()], [true, true]);
  const three = buildBlock(two, { time: start + DAYS });
  await chain.commands.submitBlock(three.bytes);
  t.same([await gets(guest, fork.hash), await headers()], [false, false], 'silence from the last second on');
  t.equal(await gets(guest, one.hash), true, 'blocks of the chain are served at any age');
});

t.test('serves a block off the best chain while it lacks less than thirty days of work', async (t) => {
  const world = await open(t);
  const { chain, clock } = world.fixture;
  const time = clock.seconds - 86_400;
  const fork = buildBlock(GENESIS, { time, tag: 1 });
  await chain.commands.submitBlock(fork.bytes);
  const one = buildBlock(GENESIS, { time });
  const two = buildBlock(one, { time: time + 1 });
  for (const { bytes } of [one, two]) await chain.commands.submitBlock(bytes);
  // With a block every ten minutes, 4,320 blocks take thirty days. The node counts the work of headers, so it does not
  // need the blocks.
  const headers: Buffer[] = [];
  for (let [height, prev] = [3, two.hash]; height <= 4_321; height++) {
    const header = { version: 0x20000000, prev, merkleRoot: Buffer.alloc(32, 1), time: time + height, bits: REGTEST_BITS, nonce: 0 };
    prev = grind(header);
    headers.push(serializeHeader(header));
  }
  const guest = await world.guest();
  await chain.commands.submitHeaders(headers.slice(0, -1));
  t.equal(chain.view.bestHeader.height, 4_320);
  t.equal(await gets(guest, fork.hash), true, '4,319 blocks less');
  await chain.commands.submitHeaders(headers.slice(-1));
  t.equal(await gets(guest, fork.hash), false, '4,320 blocks less');
});

t.test('serves transactions of the newest block even after they left the mempool', async (t) => {
  for (const legacyPeers of [false, true])
    await t.test(legacyPeers ? 'in 0.21 mode: answers notfound' : 'by default: sends them', async (t) => {
      const world = await open(t, { net: { legacyPeers }, mempool: { policy: NO_POLICY } });
      const trunk = await world.grow(101);
      const older = trunk[100] as BuiltBlock;
      const payment = spend(
        [reward(trunk[0] as BuiltBlock)],
        [{ value: 1_000, script: Buffer.concat([Buffer.from('6a', 'hex'), Buffer.alloc(30, 1)]) }],
      );
      const newest = buildBlock(older, { txs: [payment] });
      await world.fixture.chain.commands.submitBlock(newest.bytes);
      const guest = await world.guest();
      const asksFor = async (id: Uint8Array): Promise<readonly string[]> => {
        guest.take();
        guest.send('getdata', invPayload([[TX, id]]));
        await guest.sync();
        return guest.commands.filter((command) => command === 'tx' || command === 'notfound');
      };
      const { chain } = world.fixture;
      for (const left of [false, true]) {
        if (left) await chain.commands.invalidateBlock(chain.view.tip);
        t.same(await asksFor(txid(payment)), [legacyPeers ? 'notfound' : 'tx'], `left: ${left}, 0.21: ${legacyPeers}`);
      }
      t.same(await asksFor(older.txids[0] as Buffer), ['notfound'], 'of no other block');
      // A better branch without the transaction replaces the chain. Its blocks are the newest, so the transaction has
      // just returned to the mempool.
      for (const block of buildChain(older, 3, { tag: 3 })) await chain.commands.submitBlock(block.bytes);
      await world.mempool.settled();
      t.ok(world.mempool.has(txid(payment)));
      t.same(await asksFor(txid(payment)), [legacyPeers ? 'notfound' : 'tx'], `returned, 0.21: ${legacyPeers}`);
    });
});
