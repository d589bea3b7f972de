// Tests which addresses a real node connects to by itself, and which connections it keeps. All connections go through a
// proxy of the test, which plays every peer: seed nodes, networks, anchors and known addresses over a restart, peers
// that stay behind, break the rules or delay the download.
import fs from 'node:fs';
import path from 'node:path';
import t, { type Test } from 'tap';
import { emptyBook, withoutPlace } from '../framework/address-book.js';
import { buildBlock, buildChain, GENESIS } from '../framework/chain-builder.js';
import { Daemon, refusal } from '../framework/daemon.js';
import { compactSize, shown, unshown } from '../framework/messages.js';
import { headersPayload, P2pClient } from '../framework/p2p-client.js';
import { freePort } from '../framework/ports.js';
import { type ProxyCall, SocksWorld } from '../framework/socks-world.js';
import { until } from '../framework/until.js';

const PORT = 18444;
const ADDRESS = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080';
const seconds = (): number => Math.floor(Date.now() / 1000);
const through = ({ port }: SocksWorld): string[] => [
  '-listen=0',
  `-proxy=127.0.0.1:${port}`,
  '-proxyrandomize=0',
  '-dnsseed=0',
  // The peers of these tests speak the unencrypted protocol (V1).
  '-v2transport=0',
  '-fixedseeds=0',
  '-debug=net',
];

/**
 * Starts a node whose address manager is empty and uses a fixed key, so that the places of its addresses can be
 * computed.
 */
async function start(t: Test, ...options: string[]): Promise<Daemon> {
  const node = await Daemon.over(t.testdir({ regtest: { 'peers.dat': emptyBook() } }), ...options);
  t.teardown(() => node.remove());
  await node.up();
  return node;
}

/** Payload of an addr message: full nodes with addresses of 16 bytes, last seen an hour ago. */
function addrPayload(addresses: readonly Buffer[]): Buffer {
  const rows = addresses.map((ip) => {
    const row = Buffer.alloc(30);
    row.writeUInt32LE(seconds() - 3_600, 0);
    row.writeBigUInt64LE(9n, 4);
    ip.copy(row, 12);
    row.writeUInt16BE(PORT, 28);
    return row;
  });
  return Buffer.concat([compactSize(rows.length), ...rows]);
}

t.test('connects to ten addresses of a seed node, and to two anchors again after a restart', async (t) => {
  const seed = 'seed.example';
  const hosts = Array.from({ length: 12 }, (_, i) => `${40 + i}.${i}.0.1`).sort();
  const mapped = hosts.map((host) => Buffer.from([...Buffer.alloc(10), 255, 255, ...host.split('.').map(Number)]));
  const other = ['2a0014501111', '2a0014502222'].map((head) => Buffer.from(head.padEnd(32, '0'), 'hex'));
  // Checks that every address finds a place in the address manager. The seed node was connected to by name, so it
  // counts as the source 0.0.0.0; an address from addpeeraddress counts as its own source.
  t.same(
    withoutPlace([...hosts, '60.1.0.1'], PORT, (host) => (host === '60.1.0.1' ? host : '0.0.0.0')),
    [],
  );
  /** Hosts whose handshake is complete, with the relay flag that the node sent to each. */
  const ready: { host: string; relay: boolean }[] = [];
  const world = await SocksWorld.open(async ({ host, peer }: ProxyCall) => {
    const version = await peer.greet();
    if (host === seed) {
      await peer.next('getaddr');
      peer.send('addr', addrPayload([...mapped, ...other]));
      return;
    }
    await peer.sync();
    ready.push({ host, relay: version.at(-1) === 1 });
  });
  t.teardown(() => world.close());
  const node = await start(t, ...through(world), `-seednode=${seed}:${PORT}`, '-onlynet=ipv4');
  await until('ten peers', () => ready.length >= 10);
  const ten = ready.slice(0, 10);
  t.equal(ten.filter(({ relay }) => relay).length, 8, 'eight for everything');
  t.equal(await world.to(seed)[0]!.peer.ended(), true, 'the seed node is left');
  for (const { host, port } of world.calls) if (host !== seed) t.match({ host, port }, { host: /^\d+\.\d+\.0\.1$/, port: PORT });
  t.equal(new Set(ten.map(({ host }) => host)).size, 10);
  const known = async (): Promise<string[]> =>
    ((await node.call('getnodeaddresses', 100)) as { address: string }[]).map(({ address }) => address).sort();
  t.same(await known(), hosts, 'other networks are not remembered');
  t.same(await node.call('addpeeraddress', '60.1.0.1', PORT), { success: true });
  t.same(await node.call('addpeeraddress', '60.1.0.1', PORT), { error: 'failed-adding-to-new', success: false });
  t.equal(await refusal(node.call('addpeeraddress', 'nobody', PORT)), '-30 Invalid IP address');
  const anchors = ten.flatMap(({ host, relay }) => (relay ? [] : [host])).sort();
  await node.stop();
  const file = path.join(node.networkDir, 'anchors.json');
  t.same(
    (JSON.parse(fs.readFileSync(file, 'utf8')) as { host: string; port: number }[]).map(({ host }) => host).sort(),
    anchors,
    'two for blocks alone are kept',
  );

  ready.length = 0;
  const before = world.calls.length;
  const called = () => world.calls.slice(before).flatMap(({ host }) => (host === seed ? [] : [host]));
  await node.up();
  await until('both are there again', () => anchors.every((host) => ready.some((one) => one.host === host)));
  t.same(called().slice(0, 2).sort(), anchors, 'they are called first');
  for (const host of anchors) t.equal(ready.find((one) => one.host === host)?.relay, false, 'for blocks alone');
  t.equal(fs.existsSync(file), false, 'but not again if this run ends badly');
  t.same(await known(), [...hosts, '60.1.0.1'].sort(), 'addresses outlive the process');
});

t.test('disconnects a peer whose chain stays behind, and never calls a misbehaving address again', async (t) => {
  const good = '40.1.0.1';
  const silent = '41.1.0.1';
  const bad = '42.1.0.1';
  t.same(
    withoutPlace([good, silent, bad], PORT, (host) => host),
    [],
  );
  let headers: Uint8Array = new Uint8Array();
  let wrong: Uint8Array = new Uint8Array();
  const world = await SocksWorld.open(async ({ host, peer }) => {
    await peer.greet();
    await peer.sync();
    if (host === good) {
      await peer.next('getheaders');
      peer.send('headers', headers);
    } else if (host === bad) peer.send('headers', wrong);
    // Only the first connection to this address matters; the peer closes later ones.
    else if (world.to(host).length > 1) peer.close();
  });
  t.teardown(() => world.close());
  const node = await start(t, ...through(world));
  const hashes = (await node.call('generatetoaddress', 3, ADDRESS)) as string[];
  const raw = (await Promise.all(hashes.map((hash) => node.call('getblockheader', hash, false)))) as string[];
  headers = headersPayload(raw.map((hex) => Buffer.from(hex, 'hex')));
  const tip = { ...GENESIS, hash: unshown(hashes[2]!), hashHex: hashes[2]!, height: 3, time: seconds() };
  wrong = headersPayload([buildBlock(tip, { unsolved: true }).header]);
  for (const host of [good, silent]) t.same(await node.call('addpeeraddress', host, PORT), { success: true });
  await until('both are called', () => world.to(good).length === 1 && world.to(silent).length === 1);
  const inStep = world.to(good)[0]!.peer;
  const behind = world.to(silent)[0]!.peer;
  await behind.next('getheaders');
  await until('one is in step', async () => {
    const peers = (await node.call('getpeerinfo')) as { addr: string; synced_headers: number }[];
    return peers.some(({ addr, synced_headers }) => addr === `${good}:${PORT}` && synced_headers === 3);
  });
  const began = seconds();
  await node.call('setmocktime', began + 21 * 60);
  await behind.next('getheaders');
  t.equal(behind.closed, false);
  await node.call('setmocktime', began + 24 * 60);
  t.equal(await behind.ended(), true, 'no answer within two minutes');
  await inStep.sync();
  t.equal(inStep.closed, false);

  t.same(await node.call('addpeeraddress', bad, PORT), { success: true });
  await until('the third is called', () => world.to(bad).length === 1);
  t.equal(await world.to(bad)[0]!.peer.ended(), true, 'a header without proof of work');
  // Make six connections one after the other. If the third address were still allowed, about half of them would go
  // there. The clock advances more than ten minutes each time, so that no address is less likely to be chosen because
  // of a recent attempt.
  const before = world.to(silent).length;
  for (let call = 1; call <= 6; call++) {
    await node.call('setmocktime', began + (24 + 11 * call) * 60);
    await until('another is tried', () => world.to(silent).length >= before + call);
  }
  t.equal(world.to(bad).length, 1, 'discouraged');
  t.equal(inStep.closed, false);
});

t.test('disconnects a peer that stalls the download', async (t) => {
  const port = await freePort();
  const node = await Daemon.startFor(t, `-port=${port}`, '-bind=127.0.0.1', '-debug=net');
  const chain = buildChain(GENESIS, 1_100);
  const byHash = new Map(chain.map(({ hashHex, bytes }) => [hashHex, bytes]));
  const headers = headersPayload(chain.map(({ header }) => header));
  const [slow, quick] = [await P2pClient.connect(port), await P2pClient.connect(port)];
  t.teardown(() => slow.close());
  t.teardown(() => quick.close());
  slow.send('headers', headers);
  const asked = await slow.next('getdata');
  t.equal(shown(asked.subarray(5, 37)), chain[0]!.hashHex);
  quick.send('headers', headers);
  const serving = (async () => {
    for (;;) {
      const wanted = await quick.next('getdata');
      for (let at = 5; at < wanted.length; at += 36) {
        quick.send('block', byHash.get(shown(wanted.subarray(at, at + 32)))!);
      }
    }
  })().catch(() => {});
  t.equal(await slow.ended(), true, 'the window is full, and only the first blocks are missing');
  await until('the rest comes from the other', async () => (await node.call('getbestblockhash')) === chain.at(-1)!.hashHex);
  const log = fs.readFileSync(path.join(node.networkDir, 'debug.log'), 'utf8');
  t.match(log, /Stall started peer=0[\s\S]*Peer is stalling block download, disconnecting peer=0/);
  quick.close();
  await serving;
});

t.test('uses separate proxy credentials for each connection, so that Tor separates circuits', async (t) => {
  const world = await SocksWorld.open(async ({ peer }) => {
    await peer.greet();
  }, true);
  t.teardown(() => world.close());
  const settings = through(world).filter((option) => option !== '-proxyrandomize=0');
  await Daemon.startFor(t, ...settings, '-connect=40.1.0.1', '-connect=41.1.0.1');
  await until('two calls', () => world.calls.length >= 2);
  const given = world.calls.slice(0, 2).map(({ credentials }) => credentials);
  for (const one of given) t.match(one, [/^.{8,255}$/, /^.{8,255}$/]);
  t.not(given[0]?.[0], given[1]?.[0]);
});
