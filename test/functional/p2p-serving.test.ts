// Tests services of a real node for its peers, and effects of calls on peers: block filters (BIP-0157), old blocks when
// the upload limit of the day is reached, listeners with permissions, bans that survive a restart, repeated
// announcements of transactions, packages, and blocks requested from one peer.
import t, { type Test } from 'tap';
import { type BuiltBlock, buildBlock, GENESIS, reward } from '../framework/chain-builder.js';
import { Daemon } from '../framework/daemon.js';
import { compactSize, hash256, serializeTx, shown, TRUE_SCRIPT, TRUE_WITNESS, type Tx, txid } from '../framework/messages.js';
import { headersPayload, invPayload, P2pClient } from '../framework/p2p-client.js';
import { freePort } from '../framework/ports.js';
import { until } from '../framework/until.js';

const BASIC = 0;
const WITNESS_BLOCK = 0x40000002;
const WTX = 5;
const BLOCKS = 1_001;
/** Seconds between blocks. With it the blocks cover the last ten days: the first ones count as old, the tip does not. */
const SPACING = 900;

const now = Math.floor(Date.now() / 1000);
const chain: BuiltBlock[] = [];
for (let prev = GENESIS; chain.length < BLOCKS; chain.push(prev)) {
  prev = buildBlock(prev, { time: now - (BLOCKS - chain.length) * SPACING, script: TRUE_SCRIPT });
}
const [first, second] = chain as [BuiltBlock, BuiltBlock];
const tip = chain.at(-1) as BuiltBlock;

const ports = { plain: await freePort(), trusted: await freePort() };
const node = await Daemon.startFor(
  t,
  `-port=${ports.plain}`,
  '-bind=127.0.0.1',
  `-whitebind=noban,download@127.0.0.1:${ports.trusted}`,
  '-blockfilterindex',
  '-peerblockfilters',
  '-maxuploadtarget=1',
  '-externalip=15.61.23.7',
  '-connect=0',
  '-debug=net',
);
const submitted = JSON.parse(
  (await node.post(JSON.stringify(chain.map(({ bytes }, id) => ({ id, method: 'submitblock', params: [bytes.toString('hex')] }))))).body,
) as { result: string | null; error: unknown }[];
t.strictSame([...new Set(submitted.map(({ result, error }) => result ?? error))], [null], 'the chain is taken');

/**
 * Connects a peer to a listener, and waits until the node has processed its handshake. The test's end closes the
 * connection.
 */
async function peerAt(t: Test, port: number): Promise<P2pClient> {
  const peer = await P2pClient.connect(port);
  t.teardown(() => peer.close());
  await peer.sync();
  return peer;
}

/** Returns true if the node answers a new peer. */
async function admitted(port: number): Promise<boolean> {
  const peer = await P2pClient.open(port);
  try {
    await peer.greet();
    return true;
  } catch {
    return false;
  } finally {
    peer.close();
  }
}

const pay = (coin: { txid: Buffer; index: number; value: number }, fee: number): Tx => ({
  version: 2,
  ins: [{ ...coin, sequence: 0xfffffffd, witness: TRUE_WITNESS }],
  outs: [{ value: coin.value - fee, script: TRUE_SCRIPT }],
  locktime: 0,
});
const rawOf = (tx: Tx): string => serializeTx(tx).toString('hex');

/** Waits for an inv message that announces this transaction. */
async function announced(peer: P2pClient, wtxid: Buffer): Promise<void> {
  for (;;) {
    const inv = await peer.next('inv');
    if (inv.includes(wtxid)) return;
  }
}

const range = (type: number, start: number, stop: Uint8Array): Buffer => {
  const head = Buffer.alloc(5);
  head[0] = type;
  head.writeUInt32LE(start, 1);
  return Buffer.concat([head, stop]);
};

t.test('serves compact block filters', async (t) => {
  await until('the filter index', async () => (await node.call('getindexinfo'))['basic block filter index']?.best_block_height === BLOCKS);
  const peer = await P2pClient.open(ports.plain);
  t.teardown(() => peer.close());
  const version = await peer.greet();
  t.equal(version.readBigUInt64LE(4) & 0x40n, 0x40n, 'offered in the version message');
  const known = async (height: number): Promise<{ filter: Buffer; header: Buffer }> => {
    const { filter, header } = await node.call('getblockfilter', (chain[height - 1] as BuiltBlock).hashHex);
    return { filter: Buffer.from(filter, 'hex'), header: Buffer.from(header, 'hex').reverse() };
  };
  const wanted = [await known(10), await known(11), await known(12)];
  const stop = chain[11] as BuiltBlock;
  peer.send('getcfilters', range(BASIC, 10, stop.hash));
  for (const [i, { filter }] of wanted.entries()) {
    const { hash } = chain[9 + i] as BuiltBlock;
    t.same(await peer.next('cfilter'), Buffer.concat([Buffer.of(BASIC), hash, compactSize(filter.length), filter]), `filter ${10 + i}`);
  }
  peer.send('getcfheaders', range(BASIC, 10, stop.hash));
  const { header: before } = await known(9);
  const hashes = wanted.map(({ filter }) => hash256(filter));
  t.same(await peer.next('cfheaders'), Buffer.concat([Buffer.of(BASIC), stop.hash, before, Buffer.of(3), ...hashes]));
  t.same(
    hashes.reduce((header, hash) => hash256(Buffer.concat([hash, header])), before),
    wanted[2]?.header,
    'which lead to the header that is shown',
  );
  peer.send('getcfcheckpt', Buffer.concat([Buffer.of(BASIC), tip.hash]));
  t.same(await peer.next('cfcheckpt'), Buffer.concat([Buffer.of(BASIC), tip.hash, Buffer.of(1), (await known(1_000)).header]));
  for (const [what, command, payload] of [
    ['another type', 'getcfilters', range(1, 10, stop.hash)],
    ['an unknown block', 'getcfilters', range(BASIC, 10, Buffer.alloc(32, 7))],
    ['a start after the stop', 'getcfheaders', range(BASIC, 13, stop.hash)],
    ['too many at once', 'getcfilters', range(BASIC, 1, tip.hash)],
  ] as const) {
    const greedy = await peerAt(t, ports.plain);
    greedy.send(command, payload);
    t.equal(await greedy.ended(), true, what);
  }
});

t.test('hides old blocks of stale branches from peers', async (t) => {
  const stale = buildBlock(chain[899] as BuiltBlock, { tag: 7, time: (chain[900] as BuiltBlock).time });
  t.equal(await node.call('submitblock', stale.bytes.toString('hex')), 'inconclusive');
  const peer = await peerAt(t, ports.plain);
  const answers = async (command: string, payload: Buffer): Promise<string[]> => {
    const before = peer.received.length;
    peer.send(command, payload);
    await peer.sync();
    const told = peer.received.slice(before).map((answer) => answer.command);
    return told.filter((name) => ['headers', 'block', 'blocktxn', 'notfound'].includes(name));
  };
  for (const hash of [stale.hash, Buffer.alloc(32, 7)]) {
    t.same(await answers('getblocktxn', Buffer.concat([hash, Buffer.of(1, 0)])), []);
    t.same(await answers('getheaders', Buffer.concat([Buffer.alloc(4), Buffer.of(0), hash])), []);
    t.same(await answers('getdata', invPayload([[WITNESS_BLOCK, hash]])), ['notfound']);
  }
  t.same(await answers('getblocktxn', Buffer.concat([(chain[900] as BuiltBlock).hash, Buffer.of(1, 0)])), ['block']);
});

t.test('serves old blocks only to trusted peers past -maxuploadtarget', async (t) => {
  const { uploadtarget } = await node.call('getnettotals');
  t.match(uploadtarget, { target: 1 << 20, target_reached: false, serve_historical_blocks: false });
  const peer = await peerAt(t, ports.plain);
  peer.send('getdata', invPayload([[WITNESS_BLOCK, tip.hash]]));
  t.same(await peer.next('block'), tip.bytes, 'a new one is served');
  peer.send('getdata', invPayload([[WITNESS_BLOCK, first.hash]]));
  t.equal(await peer.ended(), true, 'who asks for an old one goes');
  const trusted = await peerAt(t, ports.trusted);
  t.same((await node.call('getpeerinfo')).at(-1).permissions, ['noban', 'download']);
  trusted.send('getdata', invPayload([[WITNESS_BLOCK, first.hash]]));
  t.same(await trusted.next('block'), first.bytes);
});

t.test('advertises -externalip to peers', async (t) => {
  const peer = await peerAt(t, ports.plain);
  peer.send('getaddr');
  const addr = await peer.next('addr');
  t.equal(addr.length, 31);
  t.same([...addr.subarray(13 + 12, 29)], [15, 61, 23, 7]);
  t.equal(addr.readUInt16BE(29), ports.plain);
  t.match((await node.call('getnetworkinfo')).localaddresses, [{ address: '15.61.23.7', port: ports.plain, score: 4 }]);
});

t.test('announces a transaction again while no peer has requested it', async (t) => {
  await until('nobody there', async () => (await node.call('getconnectioncount')) === 0);
  const tx = pay(reward(first), 10_000);
  const wtxid = hash256(serializeTx(tx));
  const id: string = await node.call('sendrawtransaction', rawOf(tx));
  t.equal((await node.call('getmempoolentry', id)).unbroadcast, true);
  const peer = await peerAt(t, ports.trusted);
  // The node announces such a transaction again every ten to fifteen minutes.
  await node.call('mockscheduler', 900);
  await announced(peer, wtxid);
  t.equal((await node.call('getmempoolentry', id)).unbroadcast, true, 'until somebody asks');
  peer.send('getdata', invPayload([[WTX, wtxid]]));
  t.same(await peer.next('tx'), serializeTx(tx));
  await until('it is out', async () => (await node.call('getmempoolentry', id)).unbroadcast === false);
});

t.test('relays a package from submitpackage: a parent without fee and its child', async (t) => {
  const peer = await peerAt(t, ports.trusted);
  const parent = pay(reward(second), 0);
  const child = pay({ txid: txid(parent), index: 0, value: parent.outs[0]!.value }, 20_000);
  await t.rejects(node.call('sendrawtransaction', rawOf(parent)), { code: -26, message: 'min relay fee not met, 0 < 10' });
  const reply = await node.call('submitpackage', [rawOf(parent), rawOf(child)]);
  t.equal(reply.package_msg, 'success');
  const wtxids = [parent, child].map((tx) => hash256(serializeTx(tx)));
  t.same(Object.keys(reply['tx-results']).sort(), wtxids.map(shown).sort());
  t.equal(reply['tx-results'][shown(wtxids[0]!)].fees.base, 0);
  const pool = (await node.call('getrawmempool')) as string[];
  for (const tx of [parent, child]) t.ok(pool.includes(shown(txid(tx))));
  await announced(peer, wtxids[1]!);
  const wrong = await node.call('submitpackage', [rawOf(child), rawOf(parent)]).catch((error: unknown) => error);
  t.match(wrong, { code: -25 }, 'the wrong way round');
});

t.test('fetches a block from the peer given to getblockfrompeer', async (t) => {
  const peer = await peerAt(t, ports.trusted);
  const { id } = (await node.call('getpeerinfo')).at(-1) as { id: number };
  const fork = buildBlock(GENESIS, { time: now - BLOCKS * SPACING, tag: 1 });
  await t.rejects(node.call('getblockfrompeer', fork.hashHex, id), { code: -1, message: 'Block header missing' });
  peer.send('headers', headersPayload([fork.header]));
  await peer.sync();
  t.equal((await node.call('getblockheader', fork.hashHex)).confirmations, -1);
  await t.rejects(node.call('getblockfrompeer', fork.hashHex, id + 1_000), { code: -1, message: 'Peer does not exist' });
  t.same(await node.call('getblockfrompeer', fork.hashHex, id), {});
  t.same(await peer.next('getdata'), invPayload([[WITNESS_BLOCK, fork.hash]]));
  peer.send('block', fork.bytes);
  await peer.sync();
  t.equal(await node.call('getblock', fork.hashHex, 0), fork.bytes.toString('hex'));
  await t.rejects(node.call('getblockfrompeer', fork.hashHex, id), { code: -1, message: 'Block already downloaded' });
});

t.test('disconnects a peer that announces a block and does not send it', async (t) => {
  const peer = await peerAt(t, ports.plain);
  const next = buildBlock(tip, { time: now, script: TRUE_SCRIPT });
  peer.send('headers', headersPayload([next.header]));
  const asked = await peer.next('getdata');
  t.same(asked.subarray(5), next.hash);
  // By the node's clock, a peer has ten minutes to send a block.
  await node.call('setmocktime', now + 590);
  await peer.sync();
  t.equal(peer.closed, false);
  await node.call('setmocktime', Math.floor(Date.now() / 1000) + 660);
  t.equal(await peer.ended(), true);
  const other = await peerAt(t, ports.plain);
  other.send('headers', headersPayload([next.header]));
  await other.next('getdata');
  other.send('block', next.bytes);
  await until('another brings it', async () => (await node.call('getbestblockhash')) === next.hashHex);
  await node.call('setmocktime', 0);
});

t.test('bans and unbans addresses', async (t) => {
  const peer = await peerAt(t, ports.plain);
  await node.call('setban', '127.0.0.1', 'add');
  t.equal(await peer.ended(), true, 'whoever is there goes');
  const listed = (await node.call('listbanned')) as { address: string; ban_created: number; banned_until: number }[];
  t.equal(listed.length, 1);
  t.match(listed[0], { address: '127.0.0.1/32' });
  t.equal(listed[0]!.banned_until - listed[0]!.ban_created, 24 * 60 * 60);
  await t.rejects(node.call('setban', '127.0.0.1', 'add'), { code: -23, message: 'Error: IP/Subnet already banned' });
  t.equal(await admitted(ports.plain), false);
  t.equal(await admitted(ports.trusted), true, 'but for those who may not be banned');
  await node.call('addpeeraddress', '60.1.0.1', 8333);
  await node.stop();
  await node.up();
  t.match(
    await node.call('listbanned'),
    listed.map(({ address, ban_created, banned_until }) => ({ address, ban_created, banned_until, ban_duration: 24 * 60 * 60 })),
    'kept over a restart',
  );
  t.match(await node.call('getnodeaddresses', 0), [{ address: '60.1.0.1', port: 8333 }], 'as are addresses, also with -connect');
  await t.rejects(node.call('setban', '60.0.0.0/8', 'add', 1, true), { code: -8, message: 'Error: Absolute timestamp is in the past' });
  await node.call('setban', '60.0.0.0/8', 'add', listed[0]!.banned_until, true);
  t.match(await node.call('listbanned'), [{ address: '127.0.0.1/32' }, { banned_until: listed[0]!.banned_until }]);
  t.same(await node.call('getnodeaddresses', 0), [], 'nobody is told of what is banned');
  await node.call('setban', '60.0.0.0/8', 'remove');
  t.equal(await admitted(ports.plain), false);
  await node.call('setban', '127.0.0.1', 'remove');
  t.equal(await admitted(ports.plain), true);
  await t.rejects(node.call('setban', '127.0.0.1', 'remove'), { code: -30 });
  await node.call('setban', '127.0.0.0/8', 'add', 500);
  await node.call('setban', '192.0.2.0/24', 'add', Math.floor(Date.now() / 1000) + 900, true);
  t.same(
    (await node.call('listbanned')).map(({ address }: { address: string }) => address),
    ['127.0.0.0/8', '192.0.2.0/24'],
  );
  t.equal(await admitted(ports.plain), false, 'banned with its subnet');
  await node.call('setmocktime', Math.floor(Date.now() / 1000) + 600);
  t.equal(await admitted(ports.plain), true, 'until the time is over');
  t.equal((await node.call('listbanned')).length, 1);
  await node.call('clearbanned');
  t.same(await node.call('listbanned'), []);
  await node.call('setmocktime', 0);
});
