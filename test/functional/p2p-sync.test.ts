// Real processes that find each other over loopback: transactions and blocks passed on, and a peer of the tests' own
// with its own codec. long/net-mesh tests sync from zero and a partition that heals.
import net from 'node:net';
import t, { type Test } from 'tap';
import { Daemon } from '../framework/daemon.js';
import { serializeTx, shown, TRUE_SCRIPT, TRUE_WITNESS, unshown } from '../framework/messages.js';
import { headersPayload, invPayload, locatorPayload, P2pClient } from '../framework/p2p-client.js';
import { freePort } from '../framework/ports.js';
import { until } from '../framework/until.js';

/** Pay to the witness script OP_TRUE. */
const ANYONE = 'bcrt1qft5p2uhsdcdc3l2ua4ap5qqfg4pjaqlp250x7us7a8qqhrxrxfsqseac85';

/** Spends such an output to another one, for 10,000 satoshis. */
function spendTrue(txid: string, index: number, value: number): string {
  return serializeTx({
    version: 2,
    ins: [{ txid: unshown(txid), index, witness: TRUE_WITNESS }],
    outs: [{ value: value - 10_000, script: TRUE_SCRIPT }],
    locktime: 0,
  }).toString('hex');
}

const ADDRESS = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080';

const tipOf = (node: Daemon) => node.call('getbestblockhash') as Promise<string>;

async function listening(...options: string[]): Promise<{ node: Daemon; port: number }> {
  const port = await freePort();
  return { node: await Daemon.start(`-port=${port}`, '-bind=127.0.0.1', '-debug=net', ...options), port };
}

/** A stopped node whose 110 blocks pay to ANYONE. */
const mined = await Daemon.startFor(t);
await mined.call('generatetoaddress', 110, ANYONE);
await mined.stop();

/** A node over a copy of these blocks. It is removed after the test. */
async function listeningWithBlocks(t: Test, ...options: string[]): Promise<{ node: Daemon; port: number }> {
  const port = await freePort();
  const node = await Daemon.over(mined.dir, `-port=${port}`, '-bind=127.0.0.1', '-debug=net', ...options);
  t.teardown(() => node.remove());
  await node.up();
  return { node, port };
}

/** Two nodes with the same chain for tests of compact blocks. They do not know each other. */
const { node, port } = await listeningWithBlocks(t);
const other = await listeningWithBlocks(t);

t.test('serves headers, hashes, blocks and transactions to a peer with an independent codec', async (t) => {
  const { node, port } = await listeningWithBlocks(t, '-whitelist=127.0.0.1');
  const hashes = (await node.call('generatetoaddress', 10, ADDRESS)) as string[];
  const peer = await P2pClient.connect(port, { startHeight: 0 });
  t.teardown(() => peer.close());
  const genesis = unshown((await node.call('getblockhash', 0)) as string);
  peer.send('getheaders', locatorPayload([genesis]));
  const headers = await peer.next('headers');
  t.equal(headers[0], 120);
  t.equal(headers.length, 1 + 120 * 81);
  const first = await node.call('getblockhash', 1);
  t.equal(headers.subarray(1, 81).toString('hex'), await node.call('getblockheader', first, false));
  peer.send('getblocks', locatorPayload([genesis]));
  const inv = await peer.next('inv');
  t.equal(shown(inv.subarray(5, 37)), first);
  peer.send(
    'getdata',
    invPayload([
      [0x40000002, unshown(hashes[5] as string)],
      [2, unshown(hashes[6] as string)],
    ]),
  );
  t.equal((await peer.next('block')).toString('hex'), await node.call('getblock', hashes[5], 0));
  const stripped = await peer.next('block');
  t.ok(stripped.length < ((await node.call('getblock', hashes[6], 0)) as string).length / 2, 'without witnesses for those who know none');
  peer.send('getdata', invPayload([[1, Buffer.alloc(32, 7)]]));
  t.same(await peer.next('notfound'), invPayload([[1, Buffer.alloc(32, 7)]]));
  const [next] = (await node.call('generatetoaddress', 1, ADDRESS)) as [string];
  const received = await peer.next('inv');
  t.equal(shown(received.subarray(5, 37)), next, 'inv, since nobody asked for headers');
  peer.send('sendheaders');
  await peer.sync();
  peer.send('headers', headersPayload([Buffer.from((await node.call('getblockheader', next, false)) as string, 'hex')]));
  await peer.sync();
  const [after] = (await node.call('generatetoaddress', 1, ADDRESS)) as [string];
  t.equal((await peer.next('headers')).subarray(1, 81).toString('hex'), await node.call('getblockheader', after, false));
});

t.test('disconnects peers that break the protocol', async (t) => {
  const { node, port } = await listening('-peertimeout=5');
  t.teardown(() => node.remove());
  await node.call('generatetoaddress', 1, ADDRESS);
  const silent = await P2pClient.open(port);
  for (let i = 0; i < 100; i++) silent.send('ping', Buffer.alloc(8));
  const garbage = await P2pClient.open(port);
  garbage.raw(Buffer.alloc(2_000, 0x5a));
  t.equal(await silent.ended(), true, 'a hundred messages before version');
  t.equal(await garbage.ended(), true, 'another magic');
  // The others have all the time they need.
  await node.stop();
  await node.up('-peertimeout=60');
  const broken = await P2pClient.connect(port);
  broken.send('headers', Buffer.from('ff', 'hex'));
  broken.send('inv', Buffer.from('fd', 'hex'));
  broken.send('nonsense', Buffer.alloc(50));
  await broken.sync();
  t.equal(broken.closed, false, 'what does not parse is skipped');
  for (let i = 0; i < 5; i++) broken.send('inv', Buffer.concat([Buffer.from('fd51c3', 'hex'), Buffer.alloc(36)]));
  t.equal(await broken.ended(), true, 'five times too much');
  await until('nobody left', async () => (await node.call('getconnectioncount')) === 0);
});

t.test('relays transactions, and blocks of them as compact blocks', async (t) => {
  const one = await listeningWithBlocks(t, '-whitelist=noban@127.0.0.1');
  const two = await listening(`-connect=127.0.0.1:${one.port}`, '-whitelist=noban,out@127.0.0.1');
  t.teardown(() => two.node.remove());
  const { node: a } = one;
  const { node: b } = two;
  await a.call('generatetoaddress', 20, ADDRESS);
  await until('sync', async () => (await tipOf(a)) === (await tipOf(b)));
  const sent: string[] = [];
  for (let height = 1; height <= 20; height++) {
    const block = (await a.call('getblock', await a.call('getblockhash', height), 2)) as {
      tx: [{ txid: string; vout: [{ value: number }] }];
    };
    const [{ txid, vout }] = block.tx;
    sent.push((await a.call('sendrawtransaction', spendTrue(txid, 0, Math.round(vout[0].value * 1e8)))) as string);
  }
  await until('the other mempool', async () => ((await b.call('getrawmempool')) as string[]).length === 20);
  for (let round = 0; round < 3; round++) {
    await a.call('generatetoaddress', 1, ADDRESS);
    await until('the block', async () => (await tipOf(a)) === (await tipOf(b)));
  }
  const [peer] = (await b.call('getpeerinfo')) as [{ bytesrecv_per_msg: Record<string, number> }];
  t.ok((peer.bytesrecv_per_msg.cmpctblock ?? 0) > 0, 'as compact blocks');
  t.notOk(peer.bytesrecv_per_msg.blocktxn, 'nothing was missing');
  t.same(await b.call('getrawmempool'), []);
  t.equal(
    ((await b.call('getblock', await b.call('getblockhash', 131))) as { tx: string[] }).tx.filter((id) => sent.includes(id)).length,
    20,
  );
});

t.test('requests missing transactions of a compact block, and disconnects a peer that lies', async (t) => {
  const peer = await P2pClient.connect(port);
  t.teardown(() => peer.close());
  const version2 = Buffer.from('010200000000000000', 'hex');
  peer.send('sendcmpct', version2);
  await peer.sync();
  // The node sends this header itself, once the peer has the parent.
  peer.send('headers', headersPayload([Buffer.from((await node.call('getblockheader', await tipOf(node), false)) as string, 'hex')]));
  await peer.sync();
  const coinbase = ((await node.call('getblock', await node.call('getblockhash', 1), 2)) as { tx: [{ txid: string }] }).tx[0].txid;
  const raw = spendTrue(coinbase, 0, 50e8);
  await node.call('sendrawtransaction', raw);
  const [hash] = (await node.call('generatetoaddress', 1, ADDRESS)) as [string];
  const compact = await peer.next('cmpctblock');
  t.equal(compact.subarray(0, 80).toString('hex'), await node.call('getblockheader', hash, false));
  t.equal(compact[88], 1, 'one short id');
  peer.send('getblocktxn', Buffer.concat([unshown(hash), Buffer.from([1, 1])]));
  t.same(await peer.next('blocktxn'), Buffer.concat([unshown(hash), Buffer.from([1]), Buffer.from(raw, 'hex')]));
  // Disconnect the same block and announce it again. The node lacks only the coinbase, which is prefilled.
  const whole = (await node.call('getblock', hash, 0)) as string;
  await node.call('invalidateblock', hash);
  await node.call('reconsiderblock', hash);
  t.equal(await tipOf(node), hash);
  const sender = await P2pClient.connect(other.port);
  t.teardown(() => sender.close());
  sender.send('sendcmpct', version2);
  await answer(sender, compact);
  const request = await sender.next('getblocktxn');
  t.same(request, Buffer.concat([unshown(hash), Buffer.from([1, 1])]), 'the one it lacks');
  sender.send('blocktxn', Buffer.concat([unshown(hash), Buffer.from([1]), Buffer.from(raw, 'hex')]));
  await sender.sync();
  t.equal(await tipOf(other.node), hash);
  t.equal(await other.node.call('getblock', hash, 0), whole);
  const liar = await P2pClient.connect(other.port);
  liar.send('sendcmpct', version2);
  liar.send('getblocktxn', Buffer.concat([unshown(hash), Buffer.from([1, 9])]));
  t.equal(await liar.ended(), true, 'a place that is not in the block');
});

/** Announces a block by its header and sends it as a compact block when it is asked for. */
async function answer(peer: P2pClient, compact: Buffer): Promise<void> {
  peer.send('headers', headersPayload([compact.subarray(0, 80)]));
  await peer.next('getdata');
  peer.send('cmpctblock', compact);
}

t.test('requests the rest of a withheld compact block from a better peer at once', async (t) => {
  const compactPeer = async (to: number): Promise<P2pClient> => {
    const peer = await P2pClient.connect(to);
    t.teardown(() => peer.close());
    peer.send('sendcmpct', Buffer.from('010200000000000000', 'hex'));
    await peer.sync();
    return peer;
  };
  const source = await compactPeer(port);
  source.send('headers', headersPayload([Buffer.from((await node.call('getblockheader', await tipOf(node), false)) as string, 'hex')]));
  await source.sync();
  const good = await compactPeer(other.port);
  await node.call('generatetoaddress', 1, ADDRESS);
  await answer(good, await source.next('cmpctblock'));
  while ((await good.next('sendcmpct'))[0] !== 1);
  // The announcement arrives before the block is the tip.
  await good.sync();
  t.equal(await tipOf(other.node), await tipOf(node), 'its block was good, so the next ones are wanted from it');

  const coinbase = ((await node.call('getblock', await node.call('getblockhash', 2), 2)) as { tx: [{ txid: string }] }).tx[0].txid;
  const raw = spendTrue(coinbase, 0, 50e8);
  await node.call('sendrawtransaction', raw);
  const [hash] = (await node.call('generatetoaddress', 1, ADDRESS)) as [string];
  const compact = await source.next('cmpctblock');
  const question = Buffer.concat([unshown(hash), Buffer.from([1, 1])]);
  const silent = await compactPeer(other.port);
  await answer(silent, compact);
  t.same(await silent.next('getblocktxn'), question);
  good.send('cmpctblock', compact);
  t.same(await good.next('getblocktxn'), question, 'without waiting for the other');
  good.send('blocktxn', Buffer.concat([unshown(hash), Buffer.from([1]), Buffer.from(raw, 'hex')]));
  await good.sync();
  t.equal(await tipOf(other.node), hash);
  silent.send('blocktxn', Buffer.concat([unshown(hash), Buffer.from([1]), Buffer.from(raw, 'hex')]));
  await silent.sync();
  t.equal(silent.closed, false, 'late, and no fault');
});

t.test('refuses to start when another program has the P2P port', async (t) => {
  const any = net.createServer().listen({ host: '::', port: 0 });
  t.teardown(() => any.close());
  await new Promise((resolve) => any.once('listening', resolve));
  await t.rejects(Daemon.start(`-port=${(any.address() as net.AddressInfo).port}`), /Unable to bind to .* on this computer/);
  await t.rejects(Daemon.start(`-port=${port}`, '-bind=127.0.0.1'), /Unable to bind to 127\.0\.0\.1/);
});
