// Mode `live` with real processes: an empty template first and the full one after it, long polls that are answered when
// fees rise, light templates mined and submitted as header and coinbase alone.
import http from 'node:http';
import t, { type Test } from 'tap';
import { type BuiltBlock, buildBlock, GENESIS, reward, spend } from '../framework/chain-builder.js';
import { type Connection, closeAll, connect } from '../framework/connection.js';
import { Daemon } from '../framework/daemon.js';
import { mineLight } from '../framework/light-miner.js';
import { serializeTx, type Tx } from '../framework/messages.js';
import { readStream, type StreamEvent } from '../framework/template-stream.js';

const START = 1_700_000_000;
const BLOCKS = 120;
const PAYEE = Buffer.from(`0014${'11'.repeat(20)}`, 'hex');

interface Bench {
  readonly node: Daemon;
  readonly calls: Connection;
  readonly polls: Connection[];
  readonly chain: BuiltBlock[];
}

/** A node in mode live on a chain with coins that anyone may spend. */
async function bench(t: Test, ...options: string[]): Promise<Bench> {
  const node = await Daemon.startFor(t, '-templatemode=live', '-fronts=2', '-acceptnonstdtxn=1', ...options);
  const [calls, ...polls] = (await connect(node, 5)) as [Connection, ...Connection[]];
  t.teardown(() => closeAll([calls, ...polls]));
  const chain = [buildBlock(GENESIS, { time: START })];
  while (chain.length < BLOCKS) chain.push(buildBlock(chain.at(-1)!, { time: START + chain.length }));
  const replies = new Set<unknown>();
  for (const block of chain) replies.add(await calls.call('submitblock', block.bytes.toString('hex')));
  t.strictSame([...replies], [null]);
  return { node, calls, polls, chain };
}

/** Pays out of the reward of a block. */
function payment(block: BuiltBlock, fee: number): Tx {
  const coin = reward(block);
  return spend([coin], [{ value: coin.value - fee, script: PAYEE }]);
}

const send = (calls: Connection, tx: Tx): Promise<string> => calls.call('sendrawtransaction', serializeTx(tx).toString('hex'), 0);
const rules = { rules: ['segwit'] };

/** A template with at least so many transactions; polls for it as a miner would. */
// biome-ignore lint/suspicious/noExplicitAny: a template has many members
async function templateWith(calls: Connection, count: number): Promise<any> {
  let template = await calls.call('getblocktemplate', rules);
  while (template.transactions.length < count)
    template = await calls.call('getblocktemplate', { ...rules, longpollid: template.longpollid });
  return template;
}

// Without the dry check the empty template is out together with the tip, with it a little later.
for (const checked of [0, 1]) {
  t.test(`empty first, fees by long poll, blocks by header and coinbase, -checktemplates=${checked}`, (t) => firstTemplates(t, checked));
}

async function firstTemplates(t: Test, checked: number): Promise<void> {
  const { calls, polls, chain } = await bench(t, '-longpolldelta=0.001', `-checktemplates=${checked}`);
  const first = await calls.call('getblocktemplate', rules);
  t.strictSame(first.transactions, []);
  const waiting = polls.map((poll) => poll.call('getblocktemplate', { ...rules, longpollid: first.longpollid }));
  for (let i = 0; i < 10; i++) await send(calls, payment(chain[i]!, 20_000));
  for (const template of await Promise.all(waiting)) {
    t.ok(template.coinbasevalue - first.coinbasevalue >= 100_000, 'answered by the gain, long before the interval');
  }
  await templateWith(calls, 10);

  const light = await calls.call('getblocktemplate', { ...rules, capabilities: ['light'] });
  t.strictSame(light.transactions, []);
  t.equal(light.transactioncount, 10);
  t.equal(light.totalfees, 200_000);
  // The same with a poll: it goes on when the tip moves.
  const lightPoll = polls[0]!.call('getblocktemplate', { ...rules, capabilities: ['light'], longpollid: light.longpollid });
  // More comes in after the template was given out; the block is the template's all the same.
  await send(calls, payment(chain[10]!, 30_000));
  const { work, hash } = mineLight(light);
  t.equal(await calls.call('submitblock', work, { workid: 'unknown' }), 'stale-work');
  t.equal(await calls.call('submitblock', work), 'bad-txnmrklroot', 'without its workid');
  t.equal(await calls.call('submitblock', work, { workid: light.workid }), null);
  t.equal(await calls.call('getbestblockhash'), hash);
  t.equal((await calls.call('getblock', hash)).nTx, 11);
  t.equal(await calls.call('submitblock', work, { workid: light.workid }), 'duplicate');
  const next = await lightPoll;
  t.equal(next.previousblockhash, hash);
  t.equal(next.transactioncount, 0, 'the empty template first');
  const full = await polls[0]!.call('getblocktemplate', { ...rules, capabilities: ['light'], longpollid: next.longpollid });
  t.equal(full.transactioncount, 1);
  t.equal(full.totalfees, 30_000);
}

// Behaves as a pool that learns of blocks by ZMQ or P2P: requests a template once, without longpollid, and keeps it for
// half a minute.
t.test('gives a client that asks once per block the full template', async (t) => {
  const { calls, polls, chain } = await bench(t, '-checktemplates=0', '-longpolldelta=0.0001');
  for (let i = 0; i < 20; i++) await send(calls, payment(chain[i]!, 20_000));
  await templateWith(calls, 20);
  let tip = chain.at(-1)!;
  const [poll, ...others] = polls as [Connection, ...Connection[]];
  let { longpollid } = await calls.call('getblocktemplate', rules);
  const counts: number[] = [];
  for (let n = 0; n < 8; n++) {
    tip = buildBlock(tip, { time: START + BLOCKS + n });
    const polled = poll.call('getblocktemplate', { ...rules, longpollid });
    t.equal(await calls.call('submitblock', tip.bytes.toString('hex')), null);
    // The poll has the first template of the new tip, empty or not; who asks now asks while the full one is made, or
    // right after.
    ({ longpollid } = await polled);
    for (const template of await Promise.all(others.map((client) => client.call('getblocktemplate', rules)))) {
      t.equal(template.previousblockhash, tip.hashHex);
      counts.push(template.transactions.length);
    }
  }
  t.strictSame(counts, Array(8 * others.length).fill(20));
});

t.test("applies reserved weight, minimum fee rate, and the network's template mode", async (t) => {
  const { calls, chain } = await bench(t, '-blockreservedweight=8000', '-blockmintxfee=0.001', '-emptyfirst=0', '-longpollinterval=1');
  await send(calls, payment(chain[0]!, 50_000));
  await send(calls, payment(chain[1]!, 1_000));
  const template = await templateWith(calls, 1);
  t.equal(template.transactions.length, 1, 'the other pays too little');
  t.equal(template.coinbasevalue % 100_000, 50_000);
  t.equal((await calls.call('getmininginfo')).currentblockweight, 8000 + template.transactions[0].weight);
});

const status = (node: Daemon, path: string, auth: string): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    http
      .get({ host: '127.0.0.1', port: node.port, path, auth }, (response) => {
        response.destroy();
        resolve(response.statusCode);
      })
      .on('error', reject);
  });

t.test('streams templates to clients with the same credentials', async (t) => {
  const { node, calls, chain } = await bench(t, '-checktemplates=0');
  t.equal(await status(node, '/template/stream', 'wrong:password'), 401);
  t.equal(await status(node, '/template/streams', node.auth), 404);
  let tellPaid = (): void => {};
  const paid = new Promise<void>((resolve) => {
    tellPaid = resolve;
  });
  const totals = readStream(node, '/template/stream', (events) => {
    if (events.at(-1)?.data.transactioncount === 1) tellPaid();
    return events.at(-1)?.data.previousblockhash === chain.at(-1)!.prev!.hashHex;
  });
  const whole = readStream(node, '/template/stream?full=1', (events) => (events.at(-1)?.data.transactions.length ?? 0) > 0);
  totals.catch(() => {});
  await send(calls, payment(chain[0]!, 50_000));
  const [last] = (await whole).slice(-1) as [StreamEvent];
  t.equal(last.data.transactions.length, 1);
  t.equal(last.id, last.data.longpollid);
  t.strictSame(Object.keys(last.data), Object.keys(await calls.call('getblocktemplate', rules)), 'the same members as the call');
  // A stream that was opened late, or is read slowly, skips templates that were replaced meanwhile.
  await Promise.race([paid, totals]);
  await calls.call('invalidateblock', chain.at(-1)!.hashHex);
  const events = await totals;
  t.equal(new Set(events.map(({ id }) => id)).size, events.length, 'no template twice');
  t.ok(events.some(({ data }) => data.transactioncount === 1 && data.totalfees === 50_000));
  let end: Promise<unknown> = Promise.resolve();
  await new Promise<void>((streaming) => {
    end = readStream(node, '/template/stream', () => {
      streaming();
      return false;
    });
    // The stream ends with the node, which is stopped below.
    end.catch(() => {});
  });
  await Promise.all([t.rejects(end, /the stream ended, status 200|ECONNRESET|aborted|hang up/), calls.call('stop')]);
});
