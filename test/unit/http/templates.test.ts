import os from 'node:os';
import { gunzipSync } from 'node:zlib';
import t from 'tap';
import { STATE_FLAG } from '../../../src/link/shared-state.js';
import { until } from '../../framework/until.js';
import { Client, FakeNode, type RawReply } from './support.js';

const ok = (text: string) => ({ status: 200, body: `{"result":${text},"error":null,"id":1}\n` });
const gbt = (extra = '') => `{"method":"getblocktemplate","params":[{"rules":["segwit"]${extra}}],"id":1}`;
const result = (reply: RawReply) => JSON.parse(reply.body.toString()).result;

t.test('serves a template, and wakes long polls at a new tip', async (t) => {
  const node = new FakeNode();
  node.transactions = '[{"data":"00"}]';
  await node.start(() => ok('null'));
  t.teardown(() => node.fronts.close());
  const a = new Client(node.port);
  const b = new Client(node.port);
  const first = result(await a.call(gbt()));
  t.equal(first.previousblockhash, node.hashHex);
  t.same(first.transactions, [{ data: '00' }]);
  t.equal(first.height, 1);
  t.equal(node.refreshes, 1);
  t.equal(first.longpollid, `${node.hashHex}0`);
  t.same(result(await b.call(gbt())).longpollid, first.longpollid);
  t.equal(node.refreshes, 1, 'the other front has it too');

  // Long polls must be answered when a tip arrives; never before, and never with the old template.
  a.post(gbt(`,"longpollid":"${first.longpollid}"`));
  b.post(gbt(`,"longpollid":"${first.longpollid}"`));
  await until('both wait', () => node.fronts.stats().waiters === 2);
  node.state.mempoolCounter += 5;
  await new Promise((resolve) => setTimeout(resolve, 30));
  t.equal(a.receivedBytes + b.receivedBytes, 0, 'the mempool is not looked at before a minute has passed');
  node.advance();
  for (const client of [a, b]) {
    const woken = result(await client.reply());
    t.equal(woken.previousblockhash, node.hashHex);
    t.equal(woken.height, 2);
  }
  await until('nobody waits', () => node.fronts.stats().waiters === 0);

  // Rules are checked after the wait, malformed ids before it.
  a.post(`{"method":"getblocktemplate","params":[{"longpollid":"${node.hashHex}6"}],"id":1}`);
  await until('it waits', () => node.fronts.stats().waiters === 1);
  node.advance();
  const noRules = await a.reply();
  t.equal(noRules.status, 500);
  t.match(noRules.body.toString(), '"code":-8,"message":"getblocktemplate must be called with the segwit rule set');
  const bad = await a.call(gbt(',"longpollid":"zz"'));
  t.match(bad.body.toString(), `"message":"longpollid must be of length 64 (not 2, for 'zz')"`);

  // Ids of other tips are answered at once. Values that are not texts wait for a change of the present tip.
  t.equal((await a.call(gbt(`,"longpollid":"${'ab'.repeat(32)}9"`))).status, 200);
  a.post(gbt(',"longpollid":{}'));
  await until('it waits', () => node.fronts.stats().waiters === 1);
  node.advance();
  t.equal(result(await a.reply()).previousblockhash, node.hashHex);

  // A client that disconnects frees its place.
  const gone = new Client(node.port);
  gone.post(gbt(`,"longpollid":"${node.hashHex}0"`));
  await until('it waits', () => node.fronts.stats().waiters === 1);
  gone.destroy();
  await until('its place is free', () => node.fronts.stats().waiters === 0);

  // If the node cannot build a template, every caller gets an error.
  node.templateError = new Error('CreateNewBlock: TestBlockValidity failed: bad-x');
  node.advance();
  const failed = await a.call(gbt());
  t.equal(failed.status, 500);
  t.match(failed.body.toString(), '{"code":-1,"message":"CreateNewBlock: TestBlockValidity failed: bad-x"}');
  node.templateError = null;
  t.equal((await a.call(gbt())).status, 200);

  // On mainnet, missing peers and initial download are checked first.
  node.state.set(STATE_FLAG.TEST_CHAIN, false);
  t.match((await a.call(gbt())).body.toString(), '"code":-31,');
  node.state.set(STATE_FLAG.NETWORK, true);
  t.match((await a.call(gbt())).body.toString(), '{"code":-9,"message":"Bitcoin Core is not connected!"}');
  node.state.connections = 1;
  node.state.set(STATE_FLAG.INITIAL_BLOCK_DOWNLOAD, true);
  t.match((await a.call(gbt())).body.toString(), '"code":-10,');
  node.state.set(STATE_FLAG.INITIAL_BLOCK_DOWNLOAD, false);
  t.equal((await a.call(gbt())).status, 200);
  a.destroy();
  b.destroy();
});

t.test('builds a template again when the mempool changed and five seconds have passed', async (t) => {
  const node = new FakeNode();
  node.state.mockSeconds = 1_700_000_100;
  await node.start(() => ok('null'));
  t.teardown(() => node.fronts.close());
  const client = new Client(node.port);
  t.equal(result(await client.call(gbt())).curtime, 1_700_000_100);
  node.state.mempoolCounter = 7;
  node.state.mockSeconds += 5;
  const same = result(await client.call(gbt()));
  t.equal(same.longpollid, `${node.hashHex}0`);
  t.equal(same.curtime, 1_700_000_105);
  node.state.mockSeconds -= 3;
  t.equal(result(await client.call(gbt())).curtime, 1_700_000_105, 'time never goes back while a template lasts');
  node.state.mockSeconds += 4;
  t.equal(result(await client.call(gbt())).longpollid, `${node.hashHex}7`);
  t.equal(node.refreshes, 2);
  client.destroy();
});

t.test('a front shows a block that another front has acknowledged', async (t) => {
  const node = new FakeNode();
  await node.start((_body) => {
    node.advance();
    return ok('null');
  });
  t.teardown(() => node.fronts.close());
  // Sockets are distributed over the fronts, so the two clients are on different fronts.
  const writer = new Client(node.port);
  const reader = new Client(node.port);
  await writer.call('{"method":"getblockcount","id":1}');
  await reader.call('{"method":"getblockcount","id":1}');
  for (let i = 1; i <= 300; i++) {
    t.equal((await writer.call('{"method":"submitblock","params":["00"],"id":1}')).status, 200);
    const count = result(await reader.call('{"method":"getblockcount","id":1}'));
    if (count !== i) t.equal(count, i, 'a stale answer');
  }
  const { fronts } = node.fronts.stats();
  t.ok(fronts[0]!.requests > 250 && fronts[1]!.requests > 250, 'both fronts took part');
  node.advance();
  t.equal(result(await reader.call(gbt())).previousblockhash, node.hashHex);
  writer.destroy();
  reader.destroy();
});

t.test('sends a large template to many clients without delaying small calls', async (t) => {
  const node = new FakeNode();
  const transactions = Array.from({ length: 2000 }, (_, i) => ({ data: `${i}`.padStart(1400, '0') }));
  node.transactions = JSON.stringify(transactions);
  await node.start(() => ok('null'));
  t.teardown(() => node.fronts.close());
  node.state.mockSeconds = 1_700_000_100;
  const clients = Array.from({ length: 50 }, () => new Client(node.port));
  const other = new Client(node.port);
  let small = 0;
  let bodies: Buffer[] = [];
  // The clients run on the same thread as the test. So all of them may have their replies before the test checks, and
  // then it repeats the round.
  for (let round = 0; round < 10 && small === 0; round++) {
    const { longpollid } = result(await other.call(gbt()));
    for (const client of clients) client.post(gbt(`,"longpollid":"${longpollid}"`));
    await until('all wait', () => node.fronts.stats().waiters === 50);
    node.advance();
    const replies = clients.map((client) => client.reply());
    let sent = 0;
    for (const reply of replies) void reply.then(() => sent++);
    while (sent < 50) {
      t.equal((await other.call('{"method":"getblockcount","id":1}')).status, 200);
      if (sent > 0 && sent < 50) small++;
    }
    bodies = (await Promise.all(replies)).map((reply) => reply.body);
  }
  t.ok(small > 0, 'small calls were answered in between');
  t.same(result({ status: 200, head: '', body: bodies[0]! }).transactions, transactions);
  t.ok(bodies.every((body) => body.equals(bodies[0]!)));
  t.ok(bodies[0]!.length > 2_800_000);
  await until('slabs are given back', () => node.fronts.stats().slabs.busy === 1);
  for (const client of [...clients, other]) client.destroy();
});

const outside = Object.values(os.networkInterfaces())
  .flat()
  .find((one) => one && one.family === 'IPv4' && !one.internal)?.address;

t.test(
  'compresses templates for clients on other machines',
  { skip: outside ? false : 'this machine has no address but its own' },
  async (t) => {
    const node = new FakeNode();
    const transactions = Array.from({ length: 2000 }, (_, i) => ({ data: `${i}`.padStart(1400, '0') }));
    node.transactions = JSON.stringify(transactions);
    await node.start(() => ok('null'), { binds: [{ host: '0.0.0.0', port: 0 }], allow: [{ address: outside!, prefix: 32 }] });
    t.teardown(() => node.fronts.close());
    const asks = 'Accept-Encoding: deflate, gzip\r\n';
    const far = new Client(node.port, outside);
    const near = new Client(node.port);
    const packed = await far.call(gbt(), asks);
    t.match(packed.head, /^HTTP\/1\.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Type: application\/json\r\n/);
    t.same(JSON.parse(gunzipSync(packed.body).toString()).result.transactions, transactions);
    t.notMatch((await far.call(gbt())).head, 'gzip');
    const plain = await near.call(gbt(), asks);
    t.notMatch(plain.head, 'gzip', 'on the own machine bytes are cheaper');
    t.ok(plain.body.length > packed.body.length * 2);
    far.destroy();
    near.destroy();
  },
);

t.test('cuts off the slowest reader when all slabs are in use', async (t) => {
  const node = new FakeNode(2);
  // More than sockets buffer, so that a client that does not read holds its slab.
  node.transactions = `["${'x'.repeat(24_000_000)}"]`;
  await node.start(() => ok('null'), { fronts: 1 });
  t.teardown(() => node.fronts.close());
  const slow = new Client(node.port);
  slow.socket.once('data', () => slow.socket.pause());
  slow.post(gbt());
  await until('it has begun to read', () => slow.receivedBytes > 0);
  for (let i = 0; i < 3; i++) {
    node.advance();
    // On a busy machine a time limit may close this client's connection too. Then it asks again.
    for (let height = 0; height !== node.height + 1; ) {
      const quick = new Client(node.port);
      height = await quick.call(gbt()).then(
        (reply) => result(reply).height,
        () => 0,
      );
      quick.destroy();
    }
  }
  const { fronts } = node;
  await until('it was counted', () => fronts.stats().evictedReaders + fronts.stats().fronts[0].abortedByClient > 0);
  slow.socket.resume();
  await slow.ended();
  t.ok(slow.receivedBytes < 24_000_000, 'the slow reader was cut off');
});

t.test('answers parked and running calls at shutdown, and refuses new ones', async (t) => {
  const node = new FakeNode();
  const finish: (() => void)[] = [];
  await node.start(() => new Promise((resolve) => finish.push(() => resolve(ok('"done"')))));
  const parked = new Client(node.port);
  const running = new Client(node.port);
  const late = new Client(node.port);
  await late.call('{"method":"getblockcount","id":1}');
  parked.post(gbt(`,"longpollid":"${node.hashHex}0"`));
  running.post('{"method":"getblockchaininfo","id":1}');
  await until('both are there', () => node.fronts.stats().waiters === 1 && finish.length === 1);
  node.fronts.stopAccepting();
  const woken = await parked.reply();
  t.equal(woken.status, 500);
  t.equal(woken.body.toString(), '{"result":null,"error":{"code":-9,"message":"Shutting down"},"id":1}\n');
  const refused = await late.call('{"method":"getblockcount","id":1}');
  t.match(refused.head, /^HTTP\/1\.1 503 Service Unavailable\r\nContent-Type: text\/html\r\nConnection: close\r\n/);
  const closed = node.fronts.close();
  setTimeout(() => finish[0]!(), 50);
  const last = await running.reply();
  t.equal(last.body.toString(), '{"result":"done","error":null,"id":1}\n');
  t.match(last.head, '\r\nConnection: close\r\n');
  await closed;
  await t.rejects(new Client(node.port).call('{}'), 'the port is closed');
  t.same(node.log, []);
});
