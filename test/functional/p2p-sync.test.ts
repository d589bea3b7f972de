// Real processes that find each other over loopback: sync from zero, transactions and blocks passed on, a partition that heals, and a peer of
// the tests' own with its own codec.
import t from 'tap';
import { Daemon, freePort } from '../framework/daemon.js';
import { shown, unshown } from '../framework/messages.js';
import { headersPayload, invPayload, locatorPayload, P2pClient } from '../framework/p2p-client.js';

t.setTimeout(240_000);
const ADDRESS = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080';

async function until(what: string, check: () => Promise<boolean>): Promise<void> {
  for (const end = Date.now() + 60_000; Date.now() < end; await new Promise((resolve) => setTimeout(resolve, 50)))
    if (await check()) return;
  throw new Error(`not in a minute: ${what}`);
}

const tipOf = (node: Daemon) => node.call('getbestblockhash') as Promise<string>;

async function listening(...options: string[]): Promise<{ node: Daemon; port: number }> {
  const port = await freePort();
  return { node: await Daemon.start(`-port=${port}`, '-bind=127.0.0.1', '-debug=net', ...options), port };
}

t.test('two nodes sync from zero, pass blocks on, and agree again after a partition', async (t) => {
  const one = await listening();
  t.teardown(() => one.node.remove());
  await one.node.call('generatetoaddress', 2_100, ADDRESS);
  const two = await listening(`-addnode=127.0.0.1:${one.port}`);
  t.teardown(() => two.node.remove());
  const { node: a } = one;
  const { node: b } = two;
  await until('sync', async () => (await tipOf(a)) === (await tipOf(b)));
  t.equal(await b.call('getblockcount'), 2_100, 'more than one message of headers');
  await b.call('generatetoaddress', 1, ADDRESS);
  await until('a block of the newcomer', async () => (await tipOf(a)) === (await tipOf(b)));
  const peers = (await a.call('getpeerinfo')) as { inbound: boolean; synced_headers: number; subver: string }[];
  t.match(peers, [{ inbound: true, subver: '/Satoshi:0.21.1/' }]);

  // A partition: both mine, b mines more; a changes over when they meet again.
  const third = await Daemon.start('-listen=0');
  t.teardown(() => third.remove());
  for (const node of [a, b]) await node.call('setnetworkactive', false);
  await until('quiet', async () => (await a.call('getconnectioncount')) === 0 && (await b.call('getconnectioncount')) === 0);
  await a.call('generatetoaddress', 20, ADDRESS);
  await b.call('generatetoaddress', 21, 'bcrt1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3qzf4jry');
  t.not(await tipOf(a), await tipOf(b));
  for (const node of [a, b]) await node.call('setnetworkactive', true);
  await b.call('addnode', `127.0.0.1:${one.port}`, 'onetry');
  await until('one chain again', async () => (await tipOf(a)) === (await tipOf(b)));
  t.equal(await a.call('getblockcount'), 2_122);
});

t.test('a peer with its own codec is served headers, hashes, blocks and transactions', async (t) => {
  const { node, port } = await listening('-whitelist=127.0.0.1');
  t.teardown(() => node.remove());
  const hashes = (await node.call('generatetoaddress', 120, ADDRESS)) as string[];
  const peer = await P2pClient.connect(port, { startHeight: 0 });
  t.teardown(() => peer.close());
  const genesis = unshown((await node.call('getblockhash', 0)) as string);
  peer.send('getheaders', locatorPayload([genesis]));
  const headers = await peer.next('headers');
  t.equal(headers[0], 120);
  t.equal(headers.length, 1 + 120 * 81);
  t.equal(headers.subarray(1, 81).toString('hex'), await node.call('getblockheader', hashes[0], false));
  peer.send('getblocks', locatorPayload([genesis]));
  const inv = await peer.next('inv');
  t.equal(shown(inv.subarray(5, 37)), hashes[0]);
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
  const told = await peer.next('inv');
  t.equal(shown(told.subarray(5, 37)), next, 'inv, since nobody asked for headers');
  peer.send('sendheaders');
  await peer.sync();
  peer.send('headers', headersPayload([Buffer.from((await node.call('getblockheader', next, false)) as string, 'hex')]));
  await peer.sync();
  const [after] = (await node.call('generatetoaddress', 1, ADDRESS)) as [string];
  t.equal((await peer.next('headers')).subarray(1, 81).toString('hex'), await node.call('getblockheader', after, false));
});

t.test('peers that break the protocol', async (t) => {
  const { node, port } = await listening();
  t.teardown(() => node.remove());
  await node.call('generatetoaddress', 1, ADDRESS);
  const silent = await P2pClient.open(port);
  for (let i = 0; i < 100; i++) silent.send('ping', Buffer.alloc(8));
  t.equal(await silent.ended(), true, 'a hundred messages before version');
  const garbage = await P2pClient.open(port);
  garbage.raw(Buffer.alloc(2_000, 0x5a));
  t.equal(await garbage.ended(), true, 'another magic');
  const broken = await P2pClient.connect(port);
  broken.send('headers', Buffer.from('ff', 'hex'));
  broken.send('inv', Buffer.from('fd', 'hex'));
  broken.send('nonsense', Buffer.alloc(50));
  await broken.sync();
  t.equal(broken.closed, false, 'what does not parse is skipped');
  for (let i = 0; i < 5; i++) broken.send('inv', Buffer.concat([Buffer.from('fd51c3', 'hex'), Buffer.alloc(36)]));
  t.equal(await broken.ended(), true, 'five times too much');
  t.equal(await node.call('getconnectioncount'), 0);
});
