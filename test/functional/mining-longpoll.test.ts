// Tests long polls over real sockets on several fronts: what ends a poll, when, with which reply, and the cleanup when
// the client or the server closes the connection.
import t, { type Test } from 'tap';
import { type BuiltBlock, buildBlock, GENESIS, spend } from '../framework/chain-builder.js';
import { type Connection, closeAll, connect } from '../framework/connection.js';
import { Daemon } from '../framework/daemon.js';
import { serializeTx } from '../framework/messages.js';
import { freePort } from '../framework/ports.js';
import { figure, metricBecomes, scrape } from '../framework/scrape.js';

const WAITERS = 'adit_longpoll_waiters';
const ADDRESS = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080';
const FRONTS = 2;
/** Enough polls that every front gets several of them, however connections are distributed. */
const POLLS = 12;
const START = 1_700_000_000;

interface Bench {
  node: Daemon;
  metrics: number;
  connections: Connection[];
  writer: Connection;
  tip: BuiltBlock;
}

/** Starts a node with 110 blocks and a clock that does not move, so that replies can be compared byte by byte. */
async function bench(t: Test): Promise<Bench> {
  const metrics = await freePort();
  const node = await Daemon.startFor(
    t,
    '-templatemode=core',
    `-fronts=${FRONTS}`,
    '-acceptnonstdtxn=1',
    `-metricsport=${metrics}`,
    `-mocktime=${START}`,
  );
  const connections = await connect(node, POLLS);
  const [writer] = (await connect(node, 1)) as [Connection];
  t.teardown(() => closeAll([...connections, writer]));
  const chain = [buildBlock(GENESIS, { time: START - 200 })];
  while (chain.length < 110) chain.push(buildBlock(chain.at(-1)!, { time: START - 200 + chain.length }));
  const replies = [];
  for (const block of chain) replies.push(await writer.call('submitblock', block.bytes.toString('hex')));
  t.same(new Set(replies), new Set([null]), 'blocks to start with');
  return { node, metrics, connections, writer, tip: chain.at(-1)! };
}

const request = (longpollid: string) => JSON.stringify({ id: 7, method: 'getblocktemplate', params: [{ rules: ['segwit'], longpollid }] });

/** Starts a poll on every connection and waits until the daemon counts all of them. */
async function park({ connections, metrics }: Bench, longpollid: string): Promise<{ replies: Promise<string>[]; settled: () => number }> {
  let settled = 0;
  const replies = connections.map(async (connection) => {
    const { status, body } = await connection.post(request(longpollid));
    settled++;
    return `${status} ${body}`;
  });
  for (const reply of replies) reply.catch(() => {});
  await metricBecomes(metrics, WAITERS, connections.length);
  return { replies, settled: () => settled };
}

const longpollid = async (connection: Connection): Promise<string> =>
  (await connection.call('getblocktemplate', { rules: ['segwit'] })).longpollid;

/** Checks that all replies consist of the same bytes and contain a template on this block. */
async function sameTemplate(t: Test, replies: readonly Promise<string>[], prevHash: string, what: string): Promise<void> {
  const bodies = await Promise.all(replies);
  t.equal(new Set(bodies).size, 1, `${what}: ${bodies.length} replies are the same bytes`);
  t.match(bodies[0], /^200 /);
  t.equal(JSON.parse(bodies[0]!.slice(4)).result.previousblockhash, prevHash, `${what}: work on the new tip`);
}

t.test('answers long polls of all connections when one submits a block', async (t) => {
  const b = await bench(t);
  for (let round = 0; round < 10; round++) {
    const { replies, settled } = await park(b, await longpollid(b.writer));
    b.tip = buildBlock(b.tip, { time: b.tip.time + 1, tag: round });
    t.equal(settled(), 0, 'nobody wakes before there is a reason');
    // Each round submits the block on a new connection, so that over the rounds every front receives one.
    const [submitter] = (await connect(b.node, 1)) as [Connection];
    t.equal(await submitter.call('submitblock', b.tip.bytes.toString('hex')), null);
    submitter.close();
    await sameTemplate(t, replies, b.tip.hashHex, `round ${round}`);
    await metricBecomes(b.metrics, WAITERS, 0);
  }
});

t.test('answers long polls after generate calls, reorganisations and invalidateblock', async (t) => {
  const b = await bench(t);
  let polls = await park(b, await longpollid(b.writer));
  const [generated] = await b.writer.call('generatetoaddress', 1, ADDRESS);
  await sameTemplate(t, polls.replies, generated, 'generatetoaddress');

  polls = await park(b, await longpollid(b.writer));
  const rival = buildBlock(b.tip, { time: b.tip.time + 1, tag: 1000 });
  const longer = buildBlock(rival, { time: b.tip.time + 2, tag: 1001 });
  t.equal(await b.writer.call('submitblock', rival.bytes.toString('hex')), 'inconclusive');
  t.equal(await b.writer.call('getbestblockhash'), generated);
  t.equal(polls.settled(), 0, 'a block beside the tip wakes nobody');
  t.equal(figure(await scrape(b.metrics), WAITERS), POLLS);
  t.equal(await b.writer.call('submitblock', longer.bytes.toString('hex')), null);
  await sameTemplate(t, polls.replies, longer.hashHex, 'reorganisation');

  polls = await park(b, await longpollid(b.writer));
  t.equal(await b.writer.call('invalidateblock', rival.hashHex), null);
  await sameTemplate(t, polls.replies, generated, 'invalidateblock');

  polls = await park(b, await longpollid(b.writer));
  t.equal(await b.writer.call('reconsiderblock', rival.hashHex), null);
  await sameTemplate(t, polls.replies, longer.hashHex, 'reconsiderblock');

  polls = await park(b, await longpollid(b.writer));
  t.equal(await b.writer.call('invalidateblock', generated), null);
  t.equal(polls.settled(), 0, 'a block that is not in the chain wakes nobody');
  await b.writer.call('generatetoaddress', 3, ADDRESS);
  // Three blocks arrive in quick succession. The first one ends each poll, and the template may already be on the
  // second or third.
  const best = await b.writer.call('getbestblockhash');
  const at = new Set((await Promise.all(polls.replies)).map((reply) => JSON.parse(reply.slice(4)).result.previousblockhash));
  for (const hash of at) t.ok((await b.writer.call('getblockheader', hash)).height > longer.height, 'a poll never goes back');
  t.ok(at.size <= 3 && !at.has(longer.hashHex));

  const stale = await b.connections[0]!.post(request(`${longer.hashHex}0`));
  t.equal(JSON.parse(stale.body).result.previousblockhash, best, 'a poll that knows an older tip is answered at once');
});

t.test('does not answer a long poll early for a new transaction alone', async (t) => {
  const b = await bench(t);
  const polls = await park(b, await longpollid(b.writer));
  const first = await b.writer.call('getblockhash', 1);
  const { tx } = await b.writer.call('getblock', first, 2);
  const coin = { txid: Buffer.from(tx[0].txid, 'hex').reverse(), index: 0, value: Math.round(tx[0].vout[0].value * 1e8) };
  const payment = spend([coin], [{ value: coin.value - 10_000, script: Buffer.from(`0014${'11'.repeat(20)}`, 'hex') }]);
  const id = await b.writer.call('sendrawtransaction', serializeTx(payment).toString('hex'));
  t.equal(polls.settled(), 0);
  t.equal(figure(await scrape(b.metrics), WAITERS), POLLS, 'they all still wait');
  // Advance the clock, because a new template includes changes of the mempool only after five seconds.
  await b.writer.call('setmocktime', START + 30);
  b.tip = buildBlock(b.tip, { time: b.tip.time + 1, tag: 5 });
  t.equal(await b.writer.call('submitblock', b.tip.bytes.toString('hex')), null);
  const bodies = await Promise.all(polls.replies);
  t.equal(new Set(bodies).size, 1);
  t.same(
    JSON.parse(bodies[0]!.slice(4)).result.transactions.map((one: { txid: string }) => one.txid),
    [id],
  );
});

t.test('frees the slot of a long poll when its client disconnects', async (t) => {
  const b = await bench(t);
  const id = await longpollid(b.writer);
  const aborters = b.connections.map(() => new AbortController());
  const gone = b.connections.map((connection, i) =>
    connection.post(request(id), aborters[i]!.signal).then(
      () => 'answered',
      () => 'gone',
    ),
  );
  await metricBecomes(b.metrics, WAITERS, POLLS);
  for (let i = 0; i < POLLS - 3; i++) aborters[i]!.abort();
  await metricBecomes(b.metrics, WAITERS, 3);
  b.tip = buildBlock(b.tip, { time: b.tip.time + 1 });
  t.equal(await b.writer.call('submitblock', b.tip.bytes.toString('hex')), null);
  const ends = await Promise.all(gone);
  t.same(ends, [...Array(POLLS - 3).fill('gone'), 'answered', 'answered', 'answered'], 'who stayed is answered');
  await metricBecomes(b.metrics, WAITERS, 0);
  // Polls that are started and aborted many times must not remain counted.
  const next = await longpollid(b.writer);
  for (let round = 0; round < 5; round++) {
    const all = b.connections.map((connection) => {
      const aborter = new AbortController();
      return { aborter, end: connection.post(request(next), aborter.signal).catch(() => null) };
    });
    await metricBecomes(b.metrics, WAITERS, POLLS);
    for (const { aborter } of all) aborter.abort();
    await Promise.all(all.map(({ end }) => end));
    await metricBecomes(b.metrics, WAITERS, 0);
  }
  t.equal(await b.writer.call('getblockcount'), 111);
});

t.test('answers waiting long polls when the node stops', async (t) => {
  const b = await bench(t);
  for (const how of ['stop', 'SIGTERM']) {
    const polls = await park(b, await longpollid(b.writer));
    if (how === 'stop') await b.writer.call('stop');
    else b.node.child?.kill('SIGTERM');
    const replies = await Promise.all(polls.replies);
    t.same([...new Set(replies)], ['500 {"result":null,"error":{"code":-9,"message":"Shutting down"},"id":7}\n'], how);
    t.same(await b.node.ended(), { code: 0, signal: null });
    if (how === 'stop') {
      await b.node.up();
      t.equal(await b.writer.call('getbestblockhash'), b.tip.hashHex);
    }
  }
});
