// Tests the stream of shares over ZeroMQ: a subscriber reads the records, and another subscriber that reads nothing
// does not delay miners.
import t from 'tap';
import { Subscriber } from 'zeromq';
import { Daemon } from '../framework/daemon.js';
import { freePort } from '../framework/ports.js';
import { readShares, type SeenShare } from '../framework/share-records.js';
import { StratumClient } from '../framework/stratum-client.js';
import { until } from '../framework/until.js';

const ADDRESS = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080';
const NAME = `${ADDRESS}.rig`;

t.test('publishes a record of each share', async (t) => {
  const [port, zmqPort] = [await freePort(), await freePort()];
  const at = `tcp://127.0.0.1:${zmqPort}`;
  const node = await Daemon.startFor(t, '-stratum', `-stratumport=${port}`, '-stratumfront=9', `-zmqpubshare=${at}`);
  t.same(await node.call('getzmqnotifications'), [{ type: 'pubshare', address: at, hwm: 1000 }]);
  const shares: SeenShare[] = [];
  const counters: number[] = [];
  const socket = new Subscriber();
  t.teardown(() => socket.close());
  socket.connect(at);
  socket.subscribe('share');
  void (async () => {
    for await (const [, body, counter] of socket) {
      shares.push(...readShares(body as Uint8Array));
      counters.push((counter as Buffer).readUInt32LE());
    }
  })();
  // This subscriber is connected and never reads.
  const dead = new Subscriber({ receiveHighWaterMark: 1 });
  t.teardown(() => dead.close());
  dead.connect(at);
  dead.subscribe('share');

  const miner = await StratumClient.start(port, NAME);
  t.teardown(() => miner.close());
  const refused = { params: ['ffffffff', '0'.repeat(16), '00000000', '00000000'] };
  // ZeroMQ loses messages until the subscription is set up.
  await until('the first record', async () => {
    await miner.submit(NAME, refused);
    return shares.length > 0;
  });
  const height = (await node.call('getblockcount')) + 1;
  const share = miner.mine();
  t.match(await miner.submit(NAME, share), { error: null });
  await until('the record of the block', () => shares.some(({ block }) => block));
  const found = shares.find(({ block }) => block) as SeenShare;
  t.match(found, { front: 9, result: 0, height, address: ADDRESS, worker: 'rig' });
  t.ok(found.difficulty > 0 && found.shareDifficulty >= found.difficulty);
  t.ok(Math.abs(found.timeMs - Date.now()) < 120_000);
  const others = shares.filter(({ block }) => !block);
  t.ok(others.length > 0 && others.every(({ result, height: none }) => result === 5 && none === 0), 'unknown jobs');
  for (let i = 1; i < shares.length; i++) t.equal(shares[i]?.number, (shares[i - 1]?.number ?? 0) + 1);
  for (let i = 1; i < counters.length; i++) t.equal(counters[i], (counters[i - 1] ?? 0) + 1);
  for (let i = 0; i < 200; i++) await miner.submit(NAME, refused, 1_000 + i);
  await until('all records', () => shares.length > 200);
});

t.test('refuses options that cannot work', async (t) => {
  await t.rejects(Daemon.start('-zmqpubshare=tcp://127.0.0.1:1'), /-zmqpubshare needs -stratum/);
  const at = 'tcp://127.0.0.1:1';
  await t.rejects(Daemon.start('-stratum', `-zmqpubshare=${at}`, `-zmqpubhashblock=${at}`), /-zmqpubshare needs an address of its own/);
});
