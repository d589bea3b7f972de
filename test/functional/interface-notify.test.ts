// Tests the notifications of a node: ZeroMQ messages to a real subscriber, commands of the notify options, and
// webhooks.
import fs from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import t, { type Test } from 'tap';
import { Subscriber } from 'zeromq';
import { buildBlock, GENESIS } from '../framework/chain-builder.js';
import { Daemon } from '../framework/daemon.js';
import { TRUE_SCRIPT } from '../framework/messages.js';
import { mine } from '../framework/miner.js';
import { MiniWallet } from '../framework/mini-wallet.js';
import { freePort } from '../framework/ports.js';
import { until } from '../framework/until.js';

const address = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080';
interface Message {
  topic: string;
  body: string;
  counter: number;
}

/** Collects the messages that a subscriber receives. */
class Inbox {
  readonly messages: Message[] = [];
  readonly #socket = new Subscriber();

  constructor(addresses: readonly string[], topics: readonly string[]) {
    for (const one of addresses) this.#socket.connect(one);
    this.#socket.subscribe(...topics);
    void this.#read();
  }

  async #read(): Promise<void> {
    for await (const [topic, body, counter] of this.#socket) {
      this.messages.push({ topic: topic!.toString(), body: body!.toString('hex'), counter: counter!.readUInt32LE() });
    }
  }

  of(topic: string): Message[] {
    return this.messages.filter((message) => message.topic === topic);
  }

  /** Waits for a message of this topic that satisfies `wanted`. Messages of other topics may arrive in between. */
  async has(topic: string, wanted: (body: string) => boolean, what: string): Promise<void> {
    await until(`${topic} of ${what}`, () => this.of(topic).some(({ body }) => wanted(body)), 5);
  }

  close(): void {
    this.#socket.close();
  }
}

t.test('publishes every ZeroMQ topic', async (t) => {
  const shared = `tcp://127.0.0.1:${await freePort()}`;
  const own = `tcp://127.0.0.1:${await freePort()}`;
  const topics = ['hashblock', 'hashtx', 'rawblock', 'rawtx'];
  const node = await Daemon.startFor(
    t,
    ...topics.map((topic) => `-zmqpub${topic}=${shared}`),
    `-zmqpubsequence=${own}`,
    '-zmqpubsequencehwm=700',
    '-acceptnonstdtxn=1',
  );
  t.same(await node.call('getzmqnotifications'), [
    { type: 'pubhashblock', address: shared, hwm: 1000 },
    { type: 'pubhashtx', address: shared, hwm: 1000 },
    { type: 'pubrawblock', address: shared, hwm: 1000 },
    { type: 'pubrawtx', address: shared, hwm: 1000 },
    { type: 'pubsequence', address: own, hwm: 700 },
  ]);
  const inbox = new Inbox([shared, own], [...topics, 'sequence']);
  t.teardown(() => inbox.close());
  /**
   * Waits until every topic has published a block. Each topic keeps its order, so all earlier messages have arrived
   * too.
   */
  const notifiedOf = async (hash: string): Promise<void> => {
    const raw: string = await node.call('getblock', hash, 0);
    const { tx } = await node.call('getblock', hash, 1);
    await inbox.has('hashblock', (body) => body === hash, hash);
    await inbox.has('rawblock', (body) => body === raw, hash);
    await inbox.has('hashtx', (body) => body === tx.at(-1), hash);
    await inbox.has('rawtx', (body) => raw.endsWith(body), hash);
    await inbox.has('sequence', (body) => body === `${hash}43`, hash);
  };
  // ZeroMQ loses messages until the subscription is set up. So mine blocks until a message of every topic has arrived.
  await until('subscriptions', async () => {
    await node.call('generatetoaddress', 1, address);
    return [...topics, 'sequence'].every((topic) => inbox.of(topic).length > 0);
  });
  const [ready] = await node.call('generatetoaddress', 1, address);
  await notifiedOf(ready);
  inbox.messages.length = 0;

  const [hash] = await node.call('generatetoaddress', 1, address);
  await notifiedOf(hash);
  const raw = await node.call('getblock', hash, 0);
  const { tx } = await node.call('getblock', hash, 1);
  t.same(
    inbox.of('hashblock').map(({ body }) => body),
    [hash],
  );
  t.same(
    inbox.of('rawblock').map(({ body }) => body),
    [raw],
  );
  t.same(
    inbox.of('hashtx').map(({ body }) => body),
    tx,
  );
  t.ok(raw.endsWith(inbox.of('rawtx')[0]!.body), 'the coinbase is the last part of the block');
  t.same(
    inbox.of('sequence').map(({ body }) => body),
    [`${hash}43`],
  );
  const counters = Object.fromEntries([...topics, 'sequence'].map((topic) => [topic, inbox.of(topic)[0]!.counter]));

  // Mempool events: a spend of the wallet's coinbase is accepted and mined, and then its block is disconnected.
  const wallet = new MiniWallet();
  const key = wallet.key();
  const template = await node.call('getblocktemplate', { rules: ['segwit'] });
  const mined = mine(template, 'p2wpkh', key);
  t.equal(await node.call('submitblock', mined.hex), null);
  await notifiedOf((await node.call('generatetoaddress', 100, address)).at(-1));
  t.same(
    [1, 2, 3].map((i) => inbox.of('sequence')[i]!.counter),
    [1, 2, 3].map((i) => counters.sequence! + i),
    'counted one by one',
  );
  inbox.messages.length = 0;
  const before = (await node.call('getrawmempool', false, true)).mempool_sequence;
  const spend = wallet.spend([mined.coinbase], ['p2wpkh'], 10_000);
  const txid = await node.call('sendrawtransaction', spend.hex);
  await inbox.has('hashtx', (body) => body === txid, 'a payment');
  await inbox.has('rawtx', (body) => body === spend.hex, 'a payment');
  await inbox.has('sequence', (body) => body.startsWith(txid), 'a payment');
  const le = (value: number): string => {
    const bytes = Buffer.alloc(8);
    bytes.writeBigUInt64LE(BigInt(value));
    return bytes.toString('hex');
  };
  t.same(
    inbox.of('hashtx').map(({ body }) => body),
    [txid],
  );
  t.same(
    inbox.of('rawtx').map(({ body }) => body),
    [spend.hex],
  );
  t.same(
    inbox.of('sequence').map(({ body }) => body),
    [`${txid}41${le(before)}`],
    'acceptance with the sequence number it had',
  );
  inbox.messages.length = 0;
  const [tip] = await node.call('generatetoaddress', 1, address);
  await notifiedOf(tip);
  t.same(
    inbox.of('sequence').map(({ body }) => body),
    [`${tip}43`],
    'leaving by a block is not a removal',
  );
  t.equal(inbox.of('hashtx').filter(({ body }) => body === txid).length, 1, 'a mined one is told of again');
  inbox.messages.length = 0;
  await node.call('invalidateblock', tip);
  await inbox.has('sequence', (body) => body.startsWith(txid), 'a payment that is back');
  t.equal(inbox.of('sequence')[0]!.body, `${tip}44`, 'a block that leaves');
  t.match(inbox.of('sequence')[1]!.body, new RegExp(`^${txid}41`), 'its transaction is back');
  t.same(inbox.of('hashblock'), [], 'no new tip by going back');
});

t.test('accepts and publishes a block of 300 payments while only rawtx is on', async (t) => {
  const at = `tcp://127.0.0.1:${await freePort()}`;
  const node = await Daemon.startFor(t, `-zmqpubrawtx=${at}`, '-acceptnonstdtxn=1');
  const inbox = new Inbox([at], ['rawtx']);
  t.teardown(() => inbox.close());
  const wallet = new MiniWallet();
  const mined = mine(await node.call('getblocktemplate', { rules: ['segwit'] }), 'p2wpkh', wallet.key());
  t.equal(await node.call('submitblock', mined.hex), null);
  await until('a subscription', async () => {
    await node.call('generatetoaddress', 1, address);
    return inbox.messages.length > 0;
  });
  await node.call('generatetoaddress', 100, address);
  const coins = wallet.spend(
    [mined.coinbase],
    Array.from({ length: 300 }, () => 'p2wpkh' as const),
    100_000,
  );
  await node.call('sendrawtransaction', coins.hex);
  await node.call('generatetoaddress', 1, address);
  const payments = coins.outputs.map((coin) => wallet.spend([coin], ['p2wpkh'], 1_000).hex);
  for (const payment of payments) await node.call('sendrawtransaction', payment);
  t.equal((await node.call('getmempoolinfo')).size, 300);
  const [hash] = await node.call('generatetoaddress', 1, address);
  t.equal((await node.call('getblock', hash)).nTx, 301);
  await until('every payment twice', () => payments.every((hex) => inbox.of('rawtx').filter(({ body }) => body === hex).length === 2));
  const counters = inbox.messages.map(({ counter }) => counter);
  t.same(
    counters,
    counters.map((_, i) => (counters[0] as number) + i),
    'without a gap',
  );
  t.same(await node.stop(), { code: 0, signal: null });
});

interface Event {
  readonly event: string;
  readonly hash?: string;
  readonly text?: string;
}

/** Receives webhooks. It answers the first `refuse` requests with 503, so that the node has to repeat them. */
async function webhookReceiver(t: Test, refuse = 0): Promise<{ received: Event[]; url: string }> {
  const received: Event[] = [];
  const server = http.createServer(async (request, reply) => {
    const body = (await request.toArray()).join('');
    if (refuse-- > 0) return reply.writeHead(503).end();
    received.push(JSON.parse(body));
    return reply.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  return { received, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/x` };
}

/** A folder for the output of commands, and the complete lines of a file there. */
function outputFolder(t: Test): { dir: string; lines: (file: string) => string[] } {
  const dir = fs.mkdtempSync('/tmp/adit-notify-');
  t.teardown(() => fs.rmSync(dir, { recursive: true, force: true }));
  const lines = (file: string): string[] =>
    fs.existsSync(`${dir}/${file}`) ? fs.readFileSync(`${dir}/${file}`, 'utf8').split('\n').slice(0, -1) : [];
  return { dir, lines };
}

t.test('runs notify commands and calls webhooks', async (t) => {
  const { received, url } = await webhookReceiver(t, 2);
  const { dir, lines } = outputFolder(t);
  const node = await Daemon.startFor(
    t,
    `-notifyurl=${url}`,
    `-blocknotify=echo %s >> ${dir}/blocks`,
    `-startupnotify=touch ${dir}/up`,
    '-blocknotify=exit 3',
    `-walletnotify=echo %s,%w,%b,%h,%d >> ${dir}/seen`,
  );
  await node.call('generatetoaddress', 1, address);
  const hashes = [await node.call('getbestblockhash'), ...(await node.call('generatetoaddress', 4, address))];
  const log = (): string => fs.readFileSync(`${node.networkDir}/debug.log`, 'utf8');
  await until('commands and webhooks', () => lines('blocks').length >= 5 && received.length >= 6 && fs.existsSync(`${dir}/up`));
  await until('a failure of a command', () => /runCommand error: system\(exit 3\) returned 3/.test(log()));
  t.same(lines('blocks').sort(), [...hashes].sort(), '-blocknotify');
  t.same(
    received.map(({ event }) => event),
    ['startup', 'block', 'block', 'block', 'block', 'block'],
    'in order, tried again',
  );
  t.same(
    received.slice(1).map(({ hash }) => hash),
    hashes,
  );

  // -walletnotify runs when a block is connected, disconnected and connected again.
  const name = "it's $HOME";
  await node.call('createwallet', name);
  const mine = await node.call('getnewaddress');
  const [hash] = await node.call('generatetoaddress', 1, mine);
  await node.call('generatetoaddress', 1, address);
  await node.call('invalidateblock', hash);
  await node.call('reconsiderblock', hash);
  await until('three commands', () => lines('seen').length >= 3);
  const [{ txid }] = await node.call('listtransactions');
  const inBlock = `${txid},${name},${hash},6,%d`;
  // Commands run concurrently, so the order in which they end is not fixed.
  t.same(lines('seen').sort(), [inBlock, inBlock, `${txid},${name},unconfirmed,-1,%d`].sort());
  t.same(await node.stop(), { code: 0, signal: null });
});

t.test('runs -shutdownnotify and waits for it while commands of other options hang', async (t) => {
  const { dir, lines } = outputFolder(t);
  // The commands of -blocknotify run until the test removes the folder.
  const node = await Daemon.start(
    `-blocknotify=echo %s >> ${dir}/blocks; while [ -e ${dir} ]; do sleep 0.1; done`,
    `-shutdownnotify=mkfifo ${dir}/fifo && cat ${dir}/fifo > ${dir}/over`,
    '-shutdownnotify=exit 4',
  );
  t.teardown(() => node.remove());
  const hashes = await node.call('generatetoaddress', 20, address);
  await until('all blocks', () => lines('blocks').length === 20);
  t.same(lines('blocks').sort(), [...hashes].sort());
  await node.call('stop');
  await until('the command', () => fs.existsSync(`${dir}/fifo`));
  t.equal(await node.call('getblockcount'), 20, 'calls are answered while it runs');
  fs.writeFileSync(`${dir}/fifo`, 'stopped');
  t.same(await node.ended(), { code: 0, signal: null });
  t.equal(fs.readFileSync(`${dir}/over`, 'utf8'), 'stopped', 'the node ended after the command');
  t.match(fs.readFileSync(`${node.networkDir}/debug.log`, 'utf8'), /runCommand error: system\(exit 4\) returned 4\n/);
});

t.test('runs -alertnotify and alert webhooks for a long invalid chain and for unknown rules', async (t) => {
  const { received, url } = await webhookReceiver(t);
  const { dir, lines } = outputFolder(t);
  // No deployment uses version bit 3: three periods of 144 blocks make it start, lock in and become active.
  const node = await Daemon.startFor(
    t,
    `-alertnotify=echo %s >> ${dir}/alerts`,
    `-notifyurl=${url}`,
    `-blockversion=${0x20000000 + 2 ** 3}`,
  );
  const time = Math.floor(Date.now() / 1000) - 100;
  const first = buildBlock(GENESIS, { time, script: TRUE_SCRIPT });
  await node.call('submitblock', first.bytes.toString('hex'));
  const invalid = [buildBlock(first, { time: time + 1, script: TRUE_SCRIPT, fees: 1 })];
  while (invalid.length < 7) invalid.push(buildBlock(invalid.at(-1)!, { time: time + 1 + invalid.length, script: TRUE_SCRIPT }));
  for (const { header } of invalid) await node.call('submitheader', header.toString('hex'));
  t.same((await node.call('getmininginfo')).warnings, []);
  // The first block is sent last. When the node finds it invalid, it already has the whole chain on it.
  for (const { bytes } of invalid.toReversed()) await node.call('submitblock', bytes.toString('hex'));
  const invalidText =
    'Warning: Found invalid chain more than 6 blocks longer than our best chain. This could be due to database corruption or consensus incompatibility with peers.';
  await until('the command', () => lines('alerts').length === 1);
  t.same(lines('alerts'), [invalidText]);
  for (const method of ['getmininginfo', 'getnetworkinfo', 'getblockchaininfo'])
    t.same((await node.call(method)).warnings, [invalidText], method);
  t.equal(await node.call('getbestblockhash'), first.hashHex);
  await node.call('generatetoaddress', 2, address);
  t.same((await node.call('getmininginfo')).warnings, [], 'the best chain has caught up');

  await node.call('generatetoaddress', 3 * 144 - 3, address);
  const rulesText = 'Unknown new rules activated (versionbit 3)';
  await until('the other command', () => lines('alerts').length === 2);
  t.same(lines('alerts'), [invalidText, rulesText]);
  await until('the webhook', () => received.filter(({ event }) => event === 'alert').length === 2);
  t.same(
    received.filter(({ event }) => event === 'alert'),
    [
      { event: 'alert', text: invalidText },
      { event: 'alert', text: rulesText },
    ],
  );
});

t.test('refuses to start with unusable notification addresses', async (t) => {
  await t.rejects(Daemon.start('-zmqpubhashtx=tcp://999.1.1.1:1'), /Unable to bind to tcp:\/\/999\.1\.1\.1:1 for -zmqpubhashtx/);
  await t.rejects(Daemon.start('-notifyurl=ftp://x/'), /-notifyurl must be an http or https URL/);
});
