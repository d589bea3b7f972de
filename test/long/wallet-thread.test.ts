// Tests the wallet thread from outside: its replies include everything that other calls acknowledged before, its calls
// can be combined with others in batches, and the node starts it again when it ends.
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import t from 'tap';
import { closeAll, connect } from '../framework/connection.js';
import { Daemon } from '../framework/daemon.js';
import { rounds } from '../framework/depth.js';
import { until } from '../framework/until.js';

/** Makes coins for the wallet's payments to itself, one for each round. */
async function funded(node: Daemon, coins: number): Promise<string> {
  await node.call('createwallet', 'w', false, false, null, false, true);
  const address = await node.call('getnewaddress');
  await node.call('generatetoaddress', coins, address);
  await node.call('generatetoaddress', 100, 'mjTHywdPqCxdbQTeirPjwn15xgZG8EAGUE');
  return address;
}

/** Where an obedient wallets' thread says that it runs. */
const begunMark = (node: Daemon): string => path.join(node.dir, 'begun');

/**
 * Starts a node again whose wallets' thread runs a statement on demand.
 * @returns triggers the statement, settled when it runs
 */
async function obedient(node: Daemon, statement: string): Promise<() => Promise<void>> {
  await node.stop();
  const order = path.join(node.dir, 'order');
  const script = path.join(node.dir, 'preload.mjs');
  fs.rmSync(begunMark(node), { force: true });
  // Loaded by every thread before anything else.
  fs.writeFileSync(
    script,
    `import fs from 'node:fs';
    import { workerData } from 'node:worker_threads';
    const order = ${JSON.stringify(order)};
    const obey = () => {
      if (!fs.existsSync(order)) return;
      fs.rmSync(order);
      ${statement}
    };
    if (workerData?.client) {
      fs.writeFileSync(${JSON.stringify(begunMark(node))}, '');
      setInterval(obey, 20).unref();
    }`,
  );
  node.env = { NODE_OPTIONS: `--import=${pathToFileURL(script).href}` };
  await node.up();
  return async () => {
    fs.writeFileSync(order, '');
    await until('the thread takes the order', () => !fs.existsSync(order));
  };
}

/** Makes a node whose wallets' thread is stuck: half a minute of waiting. */
async function stuckNode() {
  const node = await Daemon.start('-keypool=5');
  try {
    const stick = await obedient(node, 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);');
    await node.call('createwallet', 'w');
    const address = await node.call('getnewaddress');
    await stick();
    node.call('getbalance').catch(() => {});
    const received: { active_commands: { method: string }[] } = await node.call('getrpcinfo');
    await node.call('stop');
    const exit = await node.ended();
    const log = fs.readFileSync(path.join(node.networkDir, 'debug.log'), 'utf8');
    await node.up();
    await node.call('loadwallet', 'w');
    return { told: received, exit, log, isMine: (await node.call('getaddressinfo', address)).ismine };
  } finally {
    await node.remove();
  }
}
// The other tests run meanwhile.
const stuck = stuckNode();
stuck.catch(() => {});

t.test('shows wallets everything that any front acknowledged', async (t) => {
  const node = await Daemon.startFor(t, '-fronts=2', '-keypool=5');
  const count = rounds(30, 300);
  const address = await funded(node, count);
  const connections = await connect(node, 6);
  t.teardown(() => closeAll(connections));
  const [writer, ...readers] = connections;
  let done = false;
  // Wallets are kept busy meanwhile, on the same thread.
  const background = readers.map(async (reader) => {
    while (!done) await reader.call('listtransactions', '*', 100);
  });
  const coins = await node.call('listunspent');
  t.equal(coins.length, count);
  const stale: string[] = [];
  for (const [round, { txid, vout }] of coins.entries()) {
    const raw = await node.call('createrawtransaction', [{ txid, vout }], [{ [address]: 49.999 }]);
    const { hex } = await node.call('signrawtransactionwithwallet', raw);
    const sent = await writer!.call('sendrawtransaction', hex);
    const received = await Promise.all(readers.map((reader) => reader.call('gettransaction', sent).catch((error: Error) => error.message)));
    if (received.some((one) => one.txid !== sent)) stale.push(`${round}: ${JSON.stringify(received)}`);
    const [hash] = await writer!.call('generatetoaddress', 1, address);
    const lists = await Promise.all(readers.map((reader) => reader.call('listsinceblock', hash)));
    if (lists.some(({ lastblock }) => lastblock !== hash)) stale.push(`${round}: the block is not known`);
    if ((await readers[0]!.call('gettransaction', sent)).confirmations !== 1) stale.push(`${round}: not confirmed`);
  }
  done = true;
  await Promise.all(background);
  t.same(stale, []);
});

t.test('answers wallet calls in batches with other calls', async (t) => {
  const node = await Daemon.startFor(t, '-keypool=5');
  const address = await funded(node, 1);
  const ask = async (...requests: [method: string, ...params: unknown[]][]) =>
    JSON.parse((await node.post(JSON.stringify(requests.map(([method, ...params], id) => ({ method, params, id }))))).body) as {
      id: number;
      // biome-ignore lint/suspicious/noExplicitAny: results are as many shapes as there are methods
      result: any;
      error: { code: number; message: string } | null;
    }[];
  const replies = await ask(
    ['getbalance'],
    ['generatetoaddress', 1, address],
    ['getwalletinfo'],
    ['getblockcount'],
    ['encryptwallet', 'secret "ö"'],
    ['walletpassphrase', 'wrong', 5],
    ['walletpassphrase', 'secret "ö"', 100],
    ['dumpprivkey', 'nothing'],
    ['nosuchmethod'],
    ['getaddressinfo', address, 1, 2],
  );
  t.same(
    replies.map(({ id }) => id),
    [...replies.keys()],
  );
  t.same([replies[0]!.result, replies[2]!.result.immature_balance, replies[3]!.result], [50, 50, 102], 'one after another');
  t.type(replies[4]!.result, 'string');
  t.equal(replies[5]!.error?.code, -14);
  t.equal(replies[6]!.error, null);
  t.same([replies[7]!.error?.code, replies[8]!.error?.code, replies[9]!.error?.code], [-4, -32601, -1]);
  const large = ' '.repeat(100_000);
  const padded = async (method: string) => JSON.parse((await node.post(`${large}{"method":"${method}","params":[]}`)).body);
  t.equal((await padded('getbalance')).result, 50, 'large bodies too');
  t.equal((await padded('getblockcount')).result, 102);
});

t.test('starts the thread of the wallets again when it has ended, with its wallets', async (t) => {
  const node = await Daemon.startFor(t, '-keypool=5');
  const die = await obedient(node, 'process.exit(9)');
  await node.call('getrpcinfo');
  await node.call('mockscheduler', 5);
  t.notOk(fs.existsSync(begunMark(node)), 'a node without wallets runs without it');
  t.same(await node.call('listwallets'), []);
  t.ok(fs.existsSync(begunMark(node)), 'the first call of wallets starts it');
  await node.call('createwallet', 'w');
  const waiting = node.call('rescanblockchain').then(
    () => 'answered',
    (error: Error) => error.message,
  );
  await die();
  t.ok(await waiting, 'no call is left waiting');
  await until('the wallet is loaded again', async () => (await node.call('listwallets').catch(() => []))[0] === 'w');
  t.equal((await node.call('getwalletinfo')).walletname, 'w');
  t.equal(await node.call('getblockcount'), 0, 'the node went on');
  const log = fs.readFileSync(path.join(node.networkDir, 'debug.log'), 'utf8');
  t.match(log, /The thread of the wallets has ended.*The node restarts it/);
});

t.test("answers calls and stops the node while the wallets' thread is stuck", async (t) => {
  const { told, exit, log, isMine } = await stuck;
  t.same(
    told.active_commands.map(({ method }) => method),
    ['getrpcinfo'],
  );
  t.same(exit, { code: 0, signal: null });
  t.match(log, /Error: Shutdown: The thread of the wallets has not responded for 20 seconds/);
  t.equal(isMine, true, 'what was acknowledged is there');
});
