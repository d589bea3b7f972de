// Tests with real processes: services for light clients with filters (BIP-0037), members of getpeerinfo that Core
// deprecated, proxies, and -asmap.
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import t from 'tap';
import { Daemon } from '../framework/daemon.js';
import { unshown } from '../framework/messages.js';
import { filterPayload, invPayload, P2pClient } from '../framework/p2p-client.js';
import { freePort } from '../framework/ports.js';

const OURS = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080';
/** The 20 bytes that the address above stands for. */
const OUR_HASH = Buffer.from('751e76e8199196d454941c45d1b3a323f1433bd6', 'hex');
const THEIRS = 'bcrt1qft5p2uhsdcdc3l2ua4ap5qqfg4pjaqlp250x7us7a8qqhrxrxfsqseac85';
const FILTERED_BLOCK = 3;

async function listening(...options: string[]): Promise<{ node: Daemon; port: number }> {
  const port = await freePort();
  return { node: await Daemon.start(`-port=${port}`, '-bind=127.0.0.1', '-debug=net', ...options), port };
}

/** A node with default options, for several tests. */
const plain = await listening();
t.teardown(() => plain.node.remove());

t.test('sends a light client the transactions that match its bloom filter', async (t) => {
  const { node, port } = await listening('-peerbloomfilters');
  t.teardown(() => node.remove());
  t.match(((await node.call('getnetworkinfo')) as { localservicesnames: string[] }).localservicesnames, ['NETWORK', 'BLOOM', 'WITNESS']);
  const peer = await P2pClient.open(port);
  t.teardown(() => peer.close());
  await peer.greet({ relay: false });
  const shownPeer = async (): Promise<{ relaytxes: boolean }> => ((await node.call('getpeerinfo')) as [{ relaytxes: boolean }])[0];
  t.equal((await shownPeer()).relaytxes, false);
  peer.send('filterload', filterPayload(Buffer.alloc(1_000), 11));
  peer.send('filteradd', Buffer.concat([Buffer.from([20]), OUR_HASH]));
  await peer.sync();
  t.equal((await shownPeer()).relaytxes, true, 'a filter means that it wants transactions');
  const [ours] = (await node.call('generatetoaddress', 1, OURS)) as [string];
  const [theirs] = (await node.call('generatetoaddress', 1, THEIRS)) as [string];
  for (const [hash, matches] of [
    [ours, true],
    [theirs, false],
  ] as const) {
    const { tx } = (await node.call('getblock', hash, 2)) as { tx: [{ txid: string; hex: string }] };
    peer.send('getdata', invPayload([[FILTERED_BLOCK, unshown(hash)]]));
    const merkleBlock = (await peer.next('merkleblock')).toString('hex');
    await peer.sync();
    const proof = await node.call('gettxoutproof', [tx[0].txid], hash);
    t[matches ? 'equal' : 'not'](merkleBlock, proof, 'the tree that proves it');
    t.equal(peer.received.filter(({ command }) => command === 'tx').length, matches ? 1 : 0, 'and the transaction');
    if (matches) await peer.next('tx');
  }
  peer.send('filterclear');
  peer.send('getdata', invPayload([[FILTERED_BLOCK, unshown(ours)]]));
  await peer.sync();
  t.notOk(
    peer.received.some(({ command }) => command === 'merkleblock'),
    'nothing without a filter',
  );
  peer.send('mempool');
  await peer.sync();
  t.equal(peer.closed, false, 'may ask for the mempool');
  peer.send('filteradd', Buffer.from('0100', 'hex'));
  t.equal(await peer.ended(), true, 'an element without a filter');
  for (const payload of [filterPayload(Buffer.alloc(36_001), 1), filterPayload(Buffer.alloc(1), 51)]) {
    const greedy = await P2pClient.connect(port);
    greedy.send('filterload', payload);
    t.equal(await greedy.ended(), true, 'a filter larger than allowed');
  }
});

t.test('disconnects peers that send bloom filters without the service', async (t) => {
  for (const [command, payload] of [
    ['filterload', filterPayload(Buffer.alloc(1), 1)],
    ['filteradd', Buffer.from('0100', 'hex')],
    ['filterclear', Buffer.alloc(0)],
    ['mempool', Buffer.alloc(0)],
  ] as const) {
    const peer = await P2pClient.connect(plain.port);
    peer.send(command, payload);
    t.equal(await peer.ended(), true, command);
  }
  const { node, port } = await listening('-whitelist=bloomfilter@127.0.0.1');
  t.teardown(() => node.remove());
  const peer = await P2pClient.open(port);
  t.teardown(() => peer.close());
  const version = await peer.greet();
  t.equal(version.readBigUInt64LE(4) & 4n, 4n, 'told in its version message');
  peer.send('filterload', filterPayload(Buffer.alloc(1), 1));
  peer.send('mempool');
  await peer.sync();
  t.equal(peer.closed, false);
});

t.test('returns deprecated members of getpeerinfo with -deprecatedrpc', async (t) => {
  const old = ['banscore', 'getpeerinfo_addnode', 'whitelisted'].map((name) => `-deprecatedrpc=${name}`);
  const { node, port } = await listening('-whitelist=127.0.0.1', ...old);
  t.teardown(() => node.remove());
  const peer = await P2pClient.connect(port);
  t.teardown(() => peer.close());
  t.match(await node.call('getpeerinfo'), [{ addnode: false, banscore: 0, whitelisted: true }]);
});

t.test('uses the proxy for the networks that it is configured for', async (t) => {
  const asked: Buffer[] = [];
  const proxy = net.createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => {
      socket.write(Buffer.from([5, 0]));
      socket.once('data', (request) => {
        asked.push(request);
        socket.destroy();
      });
    });
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  t.teardown(() => proxy.close());
  const { port: proxyPort } = proxy.address() as net.AddressInfo;
  const { node } = await listening(`-proxy=127.0.0.1:${proxyPort}`, '-proxyrandomize=0', '-noonion');
  t.teardown(() => node.remove());
  await node.call('addnode', '15.61.23.23:1234', 'onetry');
  t.same(asked[0], Buffer.concat([Buffer.from([5, 1, 0, 3, 11]), Buffer.from('15.61.23.23'), Buffer.from([4, 210])]));
  await node.call('addnode', `127.0.0.1:${plain.port}`, 'onetry');
  t.equal(asked.length, 1, 'nobody else could reach this machine');
  t.equal(await node.call('getconnectioncount'), 1);
  const { networks } = (await node.call('getnetworkinfo')) as { networks: { name: string; reachable: boolean; proxy: string }[] };
  t.match(networks[2], { name: 'onion', reachable: false, proxy: '' }, '-noonion takes the proxy of -proxy away, as since release 31');
});

t.test('loads the -asmap file at the start and refuses a missing one', async (t) => {
  await t.rejects(listening('-asmap'), /Embedded asmap data not available.*put it at .*ip_asn\.map/);
  await t.rejects(listening('-asmap=nothing'), /Could not find asmap file ".*nothing"/);
  const { node } = plain;
  await node.stop();
  // A map of one instruction, which assigns every address to autonomous system 5 (bit 0, class bit 0, then 15 bits for
  // the value 4, which is one less).
  fs.writeFileSync(path.join(node.networkDir, 'map'), Uint8Array.of(0, 0x40, 0));
  await node.up('-asmap=map');
  await node.stop();
  const log = fs.readFileSync(path.join(node.networkDir, 'debug.log'), 'utf8');
  t.match(log, /Using \/16 prefix for IP bucketing/);
  t.match(log, /Opened asmap file ".*map" .3 bytes. from disk/);
  t.match(log, /Using asmap version [0-9a-f]{64} for IP bucketing/);
});
