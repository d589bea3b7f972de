// Tests peers that announce blocks and do not send them. Whatever they do, the node gets the next block from them or
// from another peer.
import t from 'tap';
import { type BuiltBlock, buildBlock, buildChain, GENESIS } from '../framework/chain-builder.js';
import { Daemon } from '../framework/daemon.js';
import { headersPayload, invPayload, P2pClient } from '../framework/p2p-client.js';
import { freePort } from '../framework/ports.js';
import { until } from '../framework/until.js';

const WITNESS_BLOCK = 0x40000002;
const COMPACT_BLOCK = 4;

// A node out of initial download. Each test starts from the tip that the test before it left.
const port = await freePort();
const node = await Daemon.startFor(t, `-port=${port}`, '-bind=127.0.0.1', '-debug=net', '-debug=cmpctblock');
const chain = buildChain(GENESIS, 3, {});
// The last one is recent: blocks are fetched as they are announced.
let tip = buildBlock(chain.at(-1) as BuiltBlock, { time: Math.floor(Date.now() / 1000) - 7200 });
for (const { bytes } of [...chain, tip]) await node.call('submitblock', bytes.toString('hex'));

/** Blocks that a getdata asks for. */
function asked(payload: Buffer): Buffer[] {
  return Array.from({ length: payload[0] as number }, (_, i) => payload.subarray(5 + i * 36, 37 + i * 36));
}

/** Waits until a block is requested from a peer, whatever else is requested. */
async function askedFor(peer: P2pClient, { hash }: BuiltBlock): Promise<void> {
  while (!asked(await peer.next('getdata')).some((one) => one.equals(hash)));
}

t.test('follows a peer that withholds siblings of the tip and continues its chain', async (t) => {
  const peer = await P2pClient.connect(port, { startHeight: 4 });
  t.teardown(() => peer.close());
  // As many as are asked from one peer at a time, each as good as the tip.
  const siblings = Array.from({ length: 20 }, (_, tag) => buildBlock(tip.prev as BuiltBlock, { time: tip.time, tag: tag + 1 }));
  for (const { header } of siblings) peer.send('headers', headersPayload([header]));
  await peer.sync();
  const next = buildBlock(tip, { time: tip.time + 1 });
  peer.send('headers', headersPayload([next.header]));
  await askedFor(peer, next);
  peer.send('block', next.bytes);
  await until('the next block', async () => (await node.call('getbestblockhash')) === next.hashHex);
  tip = next;
  await until('nothing is waited for', async () => {
    const [info] = (await node.call('getpeerinfo')) as { inflight: number[] }[];
    return info?.inflight.length === 0;
  });
});

t.test('gets withheld blocks of a better chain from other peers', async (t) => {
  const [first, second] = [await P2pClient.connect(port), await P2pClient.connect(port)];
  t.teardown(() => first.close());
  t.teardown(() => second.close());
  const better = buildChain(tip, 12);
  const headers = headersPayload(better.map(({ header }) => header));
  first.send('headers', headers);
  await askedFor(first, better[11] as BuiltBlock);
  second.send('headers', headers);
  await second.sync();
  // The first peer says that it has none of the blocks. The node requests all of them from the other peer without
  // waiting.
  first.send('notfound', invPayload(better.map(({ hash }) => [WITNESS_BLOCK, hash])));
  const wanted = new Set(better.map(({ hashHex }) => hashHex));
  while (wanted.size > 0) {
    for (const hash of asked(await second.next('getdata'))) {
      const block = better.find((one) => one.hash.equals(hash));
      if (block === undefined || !wanted.delete(block.hashHex)) continue;
      second.send('block', block.bytes);
    }
  }
  tip = better.at(-1) as BuiltBlock;
  await until('all of them', async () => (await node.call('getbestblockhash')) === tip.hashHex);
});

t.test('asks other peers first when a peer refused a block that it announces again', async (t) => {
  const [first, second] = [await P2pClient.connect(port), await P2pClient.connect(port)];
  t.teardown(() => first.close());
  t.teardown(() => second.close());
  const next = buildBlock(tip, { time: tip.time + 1 });
  const headers = headersPayload([next.header]);
  first.send('headers', headers);
  await askedFor(first, next);
  second.send('headers', headers);
  await second.sync();
  for (let i = 0; i < 50; i++) {
    first.send('notfound', invPayload([[WITNESS_BLOCK, next.hash]]));
    first.send('headers', headers);
  }
  await askedFor(second, next);
  second.send('block', next.bytes);
  await until('the block', async () => (await node.call('getbestblockhash')) === next.hashHex);
  tip = next;
  await first.sync();
  t.notOk(first.received.some(({ command }) => command === 'getdata'));
});

t.test('answers requests for blocks that it does not serve', async (t) => {
  const peer = await P2pClient.connect(port);
  t.teardown(() => peer.close());
  const stale = buildBlock(GENESIS, { tag: 7, time: chain[0]?.time });
  const unknown = Buffer.alloc(32, 9);
  peer.send('headers', headersPayload([stale.header]));
  await peer.sync();
  const [, , known] = chain as [BuiltBlock, BuiltBlock, BuiltBlock];
  peer.send(
    'getdata',
    invPayload([
      [WITNESS_BLOCK, stale.hash],
      [WITNESS_BLOCK, unknown],
      [WITNESS_BLOCK, known.hash],
      [COMPACT_BLOCK, unknown],
    ]),
  );
  t.same(await peer.next('notfound'), invPayload([[WITNESS_BLOCK, stale.hash]]));
  t.same(await peer.next('notfound'), invPayload([[WITNESS_BLOCK, unknown]]));
  t.equal((await peer.next('block')).toString('hex'), await node.call('getblock', known.hashHex, 0));
  t.same(await peer.next('notfound'), invPayload([[COMPACT_BLOCK, unknown]]));
});

t.test('relays one block per height before its scripts are verified', async (t) => {
  const peer = await P2pClient.connect(port, { startHeight: 4 });
  t.teardown(() => peer.close());
  const sendCmpct = Buffer.alloc(9);
  sendCmpct[0] = 1;
  sendCmpct.writeBigUInt64LE(2n, 1);
  peer.send('sendcmpct', sendCmpct);
  // The peer announces the node's tip.
  peer.send('headers', headersPayload([tip.header]));
  await peer.sync();
  // They claim more than they may, which shows when they are connected.
  for (let tag = 1; tag <= 5; tag++) {
    const bad = buildBlock(tip, { time: tip.time + 1, tag, fees: 1_000 });
    t.equal(await node.call('submitblock', bad.bytes.toString('hex')), 'bad-cb-amount');
  }
  const good = buildBlock(tip, { time: tip.time + 1, tag: 9 });
  await node.call('submitblock', good.bytes.toString('hex'));
  await until('it is told', async () => peer.received.some(({ payload }) => payload.includes(good.header)));
  const compact = peer.received.filter(({ command }) => command === 'cmpctblock').map(({ payload }) => payload.subarray(0, 80));
  t.equal(compact.length, 2, 'the first bad one, and the good one once it is the tip');
  t.same(compact.at(-1), good.header);
});
