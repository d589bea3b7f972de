// Tests transactions that are sent without revealing their origin: what the peers can see, and which messages each of
// them gets.
import t from 'tap';
import { parseTx, type TxView } from '../../../../src/consensus/tx/tx-view.js';
import { createPureHashes } from '../../../../src/crypto/pure.js';
import { silentLogger } from '../../../../src/log/logger.js';
import { DEFAULT_NET, type NetOptions, NO_PERMISSIONS } from '../../../../src/net/options.js';
import { Connector } from '../../../../src/net/peer/connector.js';
import { Peer } from '../../../../src/net/peer/peer.js';
import { Routes } from '../../../../src/net/peer/routes.js';
import { PrivateBroadcast } from '../../../../src/net/relay/private-broadcast.js';
import { decodeInv, decodeVersion } from '../../../../src/net/wire/messages.js';
import type { NetAddress } from '../../../../src/net/wire/net-address.js';
import { INV } from '../../../../src/net/wire/protocol.js';
import { serializeTx } from '../../../framework/messages.js';
import { type FakePeer, NetWorld } from '../../../framework/net-world.js';
import { invPayload, versionPayload } from '../../../framework/p2p-client.js';

const hashes = createPureHashes();
const numbered = (n: number, witness: Buffer[] = []): TxView =>
  parseTx(
    serializeTx({
      version: 2,
      ins: [{ txid: Buffer.alloc(32, n), index: 0, script: Buffer.alloc(0), sequence: 0, witness }],
      outs: [{ value: n, script: Buffer.alloc(22) }],
      locktime: 0,
    }),
    hashes,
  );
const peerOf = (id: number): Peer =>
  new Peer(id, 'private-broadcast', { network: 'ipv4', bytes: new Uint8Array(4), port: id }, '', '', NO_PERMISSIONS, 0);
const onion = (n: number): NetAddress => ({ network: 'onion', bytes: new Uint8Array(32).fill(n), port: 8_333 });

t.test('picks the least sent transaction, and resends it when unconfirmed, up to 1,000 times', async (t) => {
  let now = 1_000;
  const queue = new PrivateBroadcast(() => now);
  const [one, two] = [numbered(1), numbered(2)] as [TxView, TxView];
  t.equal(queue.add(one), 'added');
  t.equal(queue.add(one), 'present');
  const peers = [1, 2, 3, 4].map(peerOf) as [Peer, Peer, Peer, Peer];
  t.equal(queue.pick(peers[0], 'a:1'), one);
  queue.add(two);
  t.equal(queue.pick(peers[1], 'b:1'), two, 'the one that was sent to fewer');
  now = 1_001;
  queue.confirm(peers[0]);
  t.equal(queue.pick(peers[2], 'c:1'), two, 'the one that fewer confirmed');
  t.equal(queue.txSentTo(peers[2]), two);
  t.equal(queue.forgetPeer(peers[0]), true);
  t.equal(queue.forgetPeer(peers[2]), false);
  now = 1_061;
  t.same(queue.stale(), []);
  now = 1_062;
  t.same(queue.stale(), [one], 'a minute after the last confirmation');
  now = 1_301;
  t.same(queue.stale(), [one, two], 'five minutes without any');
  for (let n = 10; queue.hasPending; n++) queue.pick(peerOf(n), '');
  t.same([queue.list[0]?.sends.length, queue.list[1]?.sends.length], [1_000, 1_000]);
  t.equal(queue.pick(peers[3], ''), undefined, 'all attempts are used up');
  t.same(queue.stale(), []);
  t.equal(queue.add(one), 'added', 'the operator may add it again');
  t.equal(queue.remove(two.wtxid), 0);
  t.equal(queue.remove(two.wtxid), null);
  const witnessed = [1, 2].map((n) => numbered(3, [Buffer.of(n)])) as [TxView, TxView];
  for (const tx of witnessed) t.equal(queue.add(tx), 'added');
  t.equal(queue.list.length, 3, 'one for each witness');
});

t.test('rejects a private broadcast when the queue is full', async (t) => {
  const queue = new PrivateBroadcast(() => 0);
  for (let n = 0; n < 10_000; n++) queue.add({ wtxid: Buffer.from(hashes.sha256(Uint8Array.of(n, n >> 8))) } as never);
  t.equal(queue.add(numbered(1)), 'full');
});

/** Makes a world with a proxy to Tor and known onion addresses. */
async function world(): Promise<NetWorld> {
  const opened = await NetWorld.open({ net: { privateBroadcast: true, onionProxy: { host: '127.0.0.1', port: 9_050 } } });
  await opened.grow(2);
  for (let n = 1; n <= 20; n++) {
    opened.net.transport.addresses.add({ ...onion(n), time: opened.fixture.clock.seconds, services: 9n }, onion(n));
  }
  return opened;
}

const welcome = async (peer: FakePeer, relay = true): Promise<void> => {
  peer.send('version', versionPayload({ relay }));
  if (!relay) return;
  await peer.next('verack');
  peer.send('verack');
};

t.test('reveals to a private broadcast peer the transaction and nothing else', async (t) => {
  const w = await world();
  t.teardown(() => w.end());
  const tx = numbered(7, [Buffer.of(1)]);
  t.equal(w.net.relay.privately.add(tx), true);
  const peer = await w.answer();
  t.equal(peer.peer.type, 'private-broadcast');
  t.equal(peer.peer.address.network, 'onion');
  const { nonce, ...version } = decodeVersion(await peer.next('version'));
  t.ok(nonce > 0n);
  t.match(version, { version: 70_016, services: 0n, time: 0n, userAgent: '/pynode:0.0.1/', startHeight: 0, relay: false });
  await welcome(peer);
  t.same(decodeInv(await peer.next('inv')), [{ type: INV.TX, hash: tx.txid }]);
  // The node does not answer these messages here, although it answers them to other peers.
  for (const command of ['ping', 'getaddr', 'mempool', 'sendheaders'])
    peer.send(command, command === 'ping' ? Buffer.alloc(8, 1) : Buffer.alloc(0));
  peer.send('getheaders', Buffer.concat([Buffer.alloc(4), Buffer.of(0), Buffer.alloc(32)]));
  peer.send('getdata', invPayload([[INV.WITNESS_TX, tx.txid]]));
  t.same(await peer.next('tx'), Buffer.from(tx.bytes));
  const ping = await peer.next('ping');
  t.same(peer.commands, []);
  peer.send('pong', ping);
  await peer.ended();
  const [entry] = w.net.relay.privately.queue.list;
  t.equal(entry?.sends.length, 1);
  t.equal(entry?.sends[0]?.confirmedAt, w.fixture.clock.seconds);
  t.equal(w.mempool.size, 0);

  // One peer wants no transactions, one requests another one, one takes too long. Each allows another attempt.
  const unwilling = await w.answer();
  await welcome(unwilling, false);
  await unwilling.ended();
  t.same(unwilling.commands, ['version']);
  const curious = await w.answer();
  await welcome(curious);
  curious.send('getdata', invPayload([[INV.WITNESS_TX, tx.wtxid]]));
  await curious.ended();
  t.notOk(curious.commands.includes('tx'));
  const slow = await w.answer();
  await welcome(slow);
  await slow.next('inv');
  await w.pass(180);
  t.equal(slow.closed, false);
  await w.pass(1);
  await slow.ended();
  const last = await w.answer();
  await welcome(last);
  await last.next('inv');

  // The transaction comes back from the network, so it is known there.
  const guest = await w.guest();
  guest.send('tx', tx.bytes);
  await guest.sync();
  t.same(w.net.relay.privately.queue.list, []);
  t.equal(w.said('stopping private broadcast attempts').length, 1);
});

t.test('does not send a private transaction that was aborted or became invalid', async (t) => {
  const w = await world();
  t.teardown(() => w.end());
  const [one, two] = [1, 2].map((n) => numbered(9, [Buffer.of(n)])) as [TxView, TxView];
  for (const tx of [one, two]) w.net.relay.privately.add(tx);
  t.same(w.net.relay.privately.abort(numbered(1).txid), []);
  t.same(w.net.relay.privately.abort(one.txid), [one, two], 'all with this txid');
  const peer = await w.answer();
  await welcome(peer);
  await peer.ended();
  t.notOk(peer.commands.includes('inv'), 'connected in vain');
  // Remove the coin: a transaction that is no longer valid is not sent again.
  w.net.relay.privately.add(one);
  w.fixture.clock.seconds += 301;
  await w.net.relay.privately.retry();
  t.same(w.net.relay.privately.queue.list, []);
});

t.test('connects for a private broadcast only through Tor', async (t) => {
  const connectorOf = (options: Partial<NetOptions>): Connector => {
    const all = { ...DEFAULT_NET, ...options };
    const open = async (): Promise<never> => {
      throw new Error('something was called');
    };
    const lines = { ready: true, open, listen: open, close: async () => {} };
    return new Connector(all, new Routes(all), { factory: lines, i2p: null }, 8_333, silentLogger);
  };
  const connector = connectorOf({ proxies: {}, onionProxy: null });
  await t.rejects(connector.dial({ network: 'ipv4', bytes: Uint8Array.of(8, 8, 8, 8), port: 1 }, true), {
    message: 'not to be reached through Tor',
  });
  const near = connectorOf({ onionProxy: { host: '127.0.0.1', port: 1 } });
  await t.rejects(near.dial({ network: 'ipv4', bytes: Uint8Array.of(127, 0, 0, 1), port: 1 }, true), {
    message: 'not to be reached through Tor',
  });
});
