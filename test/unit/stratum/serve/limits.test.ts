// Tests limits of miners' connections: time, bytes, addresses, and unsent bytes. The test controls the clock.
import t from 'tap';
import type { StratumClient } from '../../../framework/stratum-client.js';
import { mineShare } from '../../../framework/stratum-miner.js';
import { ADDRESS, createWorld, template, type World } from './rig.js';

const nextTick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const closedFor = (world: World, text: string): number => world.lines().filter((line) => line.includes(text)).length;

t.test('closes a connection without a worker after 30 seconds, and a silent miner never', async (t) => {
  const world = createWorld(t);
  const miner = await world.miner();
  const silent = world.connect();
  const halfway = world.connect();
  halfway.send({ id: 1, method: 'mining.subscribe', params: [] });
  await halfway.reply(1);
  await world.seconds(29);
  t.same([silent.closed, halfway.closed], [false, false]);
  await world.seconds(1);
  await silent.ended();
  await halfway.ended();
  t.equal(world.counters.get('closed handshake-timeout'), 2);
  await world.seconds(3_600);
  t.notOk(miner.closed, 'a slow miner finds no share for hours');
});

t.test('sends another job of the same tip when 30 seconds passed without one', async (t) => {
  const world = createWorld(t);
  const miner = await world.miner();
  const first = miner.job!;
  await world.seconds(29);
  t.equal(miner.job, first);
  await world.seconds(1);
  await miner.until(() => miner.job !== first);
  t.not(miner.job!.id, first.id);
  t.not(miner.job!.coinb1, first.coinb1, 'the coinbase differs, so no share is found twice');
  t.notOk(miner.job!.clean);
  t.equal(Number.parseInt(miner.job!.time, 16) - Number.parseInt(first.time, 16), 30);
});

t.test('closes connections that do not speak the protocol, at once', async (t) => {
  const world = createWorld(t);
  for (const bytes of ['GET / HTTP/1.1\r\n\r\n', '\x16\x03\x01\x02\x00', 'hello\n', '[1,2]\n', `{"id":1,"method":"${'x'.repeat(8_200)}`]) {
    const client = world.connect();
    client.socket.write(Buffer.from(bytes, 'latin1'));
    await client.ended();
  }
  t.equal(world.counters.get('closed garbage'), 5);
  t.equal(world.counters.get('connectionsOpen'), 0);
});

t.test('keeps a miner whose shares are refused', async (t) => {
  const world = createWorld(t);
  const miner = await world.miner();
  for (let i = 0; i < 100; i++) {
    const bad = ['ffffffff', '0'.repeat(16), '00000000', '00000000'];
    t.match(
      await miner.submit(`${ADDRESS}.rig`, { params: bad }, 1_000 + i),
      { result: null, error: [/2\d/ as unknown as number] },
      { diagnostic: false },
    );
    if (i % 40 === 39) await world.seconds(1);
  }
  t.notOk(miner.closed);
  t.equal(world.counters.get('shares accepted'), 0);
});

t.test('closes a connection that sends garbage after its authorisation, and no other', async (t) => {
  const world = createWorld(t);
  const honest = await world.miner();
  for (const bytes of [
    '\0\n',
    '\xff{}\n',
    'null\n',
    '[]\n',
    '"x"\n',
    '7\n',
    '{"id":1,"method"\n',
    '{'.repeat(8_194),
    'GET / HTTP/1.1\r\n',
  ]) {
    const miner = await world.miner();
    miner.socket.write(Buffer.from(bytes, 'latin1'));
    await miner.ended();
  }
  t.equal(world.counters.get('closed garbage'), 9);
  t.notOk(honest.closed);
  t.equal(world.counters.get('minersOpen'), 1);
});

t.test('counts nothing twice when miners come and go', async (t) => {
  const world = createWorld(t, { perAddress: 8 });
  for (let i = 0; i < 2_000; i++) {
    const miner = i % 3 === 0 ? await world.miner('192.0.2.7') : world.connect('192.0.2.7');
    miner.close();
    if (i % 5 === 0) await nextTick();
  }
  for (let i = 0; i < 3; i++) await nextTick();
  t.same([world.counters.get('connectionsOpen'), world.counters.get('minersOpen')], [0, 0]);
  t.same(world.posted.filter((one) => one.kind === 'needs').at(-1), { kind: 'needs', reserves: [] });
  t.notOk((await world.miner('192.0.2.7')).closed, 'the limit of the address is free again');
});

t.test('refuses connections while all extranonces are in use', async (t) => {
  const world = createWorld(t);
  const miners = [await world.miner(), await world.miner()];
  world.extranonces.allocate = () => null;
  const refused = world.connect();
  await refused.ended();
  t.match(world.lines().at(-1), 'was refused, all extranonces are in use');
  t.equal(world.counters.get('closed limit'), 1);
  t.same(
    miners.filter(({ closed }) => closed),
    [],
  );
});

t.test('pauses a miner that sends more than 64 KiB a second', async (t) => {
  const world = createWorld(t);
  const [flood, honest] = [await world.miner(), await world.miner()];
  const line = `${JSON.stringify({ id: null, method: 'pong', params: ['x'.repeat(1_000)] })}\n`;
  let sent = 0;
  while (world.counters.get('pauses') === 0 && sent < 10_000_000) {
    flood.socket.write(line);
    sent += line.length;
    await nextTick();
  }
  t.ok(sent > 262_144 && sent < 300_000, `paused after ${sent} bytes`);
  const received = world.counters.get('bytesReceived');
  for (let i = 0; i < 100; i++) flood.socket.write(line);
  for (let i = 0; i < 300; i++) await nextTick();
  t.ok(world.counters.get('bytesReceived') - received < 5_000, 'reads no more');
  honest.send({ id: 9, method: 'mining.ping', params: [] });
  t.match(await honest.reply(9), { result: 'pong' });
  await world.seconds(2);
  for (let i = 0; i < 300; i++) await nextTick();
  t.ok(world.counters.get('bytesReceived') - received > 50_000, 'reads on after a while');
  t.notOk(flood.closed);
});

t.test('finds the block in the middle of a flood of shares, which it reads slowly', async (t) => {
  const world = createWorld(t, { sharesPerSecond: 10 });
  const [flood, honest] = [await world.miner(), await world.miner()];
  const line = (params: readonly string[]): string =>
    `${JSON.stringify({ id: 9, method: 'mining.submit', params: [`${ADDRESS}.rig`, ...params] })}\n`;
  const block = flood.mine();
  const noBlock = mineShare(flood.job!.params, flood.extranonce1, (_difficulty, hash) => (hash[31] as number) >= 0x80);
  const useless = line([flood.job!.id, noBlock.extranonce2, noBlock.ntime, noBlock.nonce]);
  const tested = (): number => world.counters.get('shares low-difficulty') + world.counters.get('shares accepted');
  const found = (): number => world.posted.filter((one) => one.kind === 'solution' && one.hashHex === block.hashHex).length;
  for (let i = 0; i < 400; i++) {
    flood.socket.write(i === 200 ? line(block.params) : useless);
    if (i % 10 === 0) await nextTick();
  }
  await nextTick();
  // The shares of eight seconds, and one more that exceeds the quota.
  t.equal(tested(), 81);
  t.equal(world.counters.get('pauses'), 1);
  t.equal(found(), 0);
  honest.send({ id: 9, method: 'mining.ping', params: [] });
  t.match(await honest.reply(9), { result: 'pong' });
  await world.seconds(10);
  t.ok(tested() > 150 && tested() < 200, `ten a second: ${tested()} after ten seconds`);
  await world.seconds(10);
  t.equal(found(), 1);
  await world.seconds(20);
  t.equal(tested(), 400);
  t.notOk(flood.closed);
});

t.test('skips jobs for a slow reader, and closes one that reads nothing for a minute', async (t) => {
  const world = createWorld(t);
  const [stuck, honest] = [await world.miner(), await world.miner()];
  stuck.socket.pause();
  let jobs = 0;
  while (world.counters.get('jobsSkipped') === 0 && jobs < 1_000) {
    world.server.receive({ kind: 'template', template: template(), keys: [] });
    jobs++;
    await nextTick();
  }
  t.ok(jobs < 60, `a job was skipped after ${jobs}`);
  const unsent = (): number => {
    world.server.tick();
    return world.counters.get('unsentBytes');
  };
  const before = unsent();
  for (let i = 0; i < 100; i++) world.server.receive({ kind: 'template', template: template(), keys: [] });
  await nextTick();
  t.equal(unsent(), before, 'jobs of the same tip add nothing');
  await world.seconds(60);
  t.notOk(stuck.closed);
  await world.seconds(2);
  await stuck.ended();
  t.equal(closedFor(world, 'it reads nothing'), 1);
  t.notOk(honest.closed);
});

t.test('closes a miner that leaves more than 256 KiB unsent', async (t) => {
  const world = createWorld(t);
  const [stuck, honest] = [await world.miner(), await world.miner()];
  stuck.socket.pause();
  let tips = 0;
  while (!stuck.closed && tips < 10_000) {
    world.newTip();
    tips++;
    await nextTick();
  }
  t.ok(stuck.closed, 'new tips are never skipped');
  // The line of a job has some 450 bytes.
  t.ok(tips > 500 && tips < 650, `closed after ${tips} tips`);
  t.equal(world.counters.get('closed unsent'), 1);
  t.notOk(honest.closed);
});

t.test('bounds connections from one address, and lets miners stay', async (t) => {
  const world = createWorld(t, { perAddress: 3 });
  const first = await world.miner('192.0.2.7');
  const idle = [world.connect('::ffff:192.0.2.7'), world.connect('192.0.2.7')];
  const second = await world.miner('192.0.2.7');
  await nextTick();
  t.same(
    idle.map(({ closed }) => closed),
    [true, false],
    'the oldest connection without a worker gave way',
  );
  const third = await world.miner('192.0.2.7');
  const refused = world.connect('192.0.2.7');
  await refused.ended();
  t.same([first.closed, second.closed, third.closed], [false, false, false]);
  t.match(world.lines().at(-1), 'a connection from 192.0.2.7 was refused, 3 are open from there (-stratumperaddress)');
  await world.miner('192.0.2.8');
  first.close();
  await nextTick();
  await nextTick();
  await world.miner('192.0.2.7');
  for (let i = 0; i < 10; i++) await world.miner('127.0.0.1');
  t.equal(world.counters.get('minersOpen'), 14, 'connections of this machine are not counted');
});

t.test('bounds all connections together', async (t) => {
  const world = createWorld(t, { most: 50 });
  const miners: StratumClient[] = [];
  while (miners.length < 49) miners.push(await world.miner());
  const idle = world.connect();
  miners.push(await world.miner());
  await idle.ended();
  await world.connect().ended();
  t.equal(miners.filter(({ closed }) => closed).length, 0);
  t.equal(world.counters.get('connectionsOpen'), 50);
});

t.test('closes all miners while the node has no work, and refuses others', async (t) => {
  const world = createWorld(t);
  const miner = await world.miner();
  t.same(world.posted.filter(({ kind }) => kind === 'needs').length, 1);
  world.server.receive({ kind: 'hold' });
  await miner.ended();
  await world.connect().ended();
  t.equal(closedFor(world, 'the node has no work for miners'), 2);
  t.same(world.posted.filter((one) => one.kind === 'needs').at(-1), { kind: 'needs', reserves: [] });
  world.newTip();
  t.notOk((await world.miner()).closed);
});

t.test('tells the watchdog that it runs, without a list of its miners', async (t) => {
  const world = createWorld(t);
  await world.miner();
  world.server.receive({ kind: 'ask', number: 7, question: null });
  t.same(world.posted.at(-1), { kind: 'answer', number: 7, reply: null });
});

t.test('sends the first job of a tip to all at once, and other jobs in steps', async (t) => {
  const world = createWorld(t);
  const miners: StratumClient[] = [];
  while (miners.length < 250) miners.push(await world.miner());
  const holding = (id: string): number => miners.filter(({ job }) => job!.id === id).length;
  const settle = async (): Promise<void> => {
    for (let i = 0; i < 5; i++) await nextTick();
  };
  const newest = (): string =>
    miners
      .map(({ job }) => job!.id)
      .sort()
      .at(-1)!;
  world.newTip();
  await settle();
  t.equal(holding(newest()), 250);
  world.server.receive({ kind: 'template', template: template(), keys: [] });
  await settle();
  const second = newest();
  t.ok(holding(second) >= 100 && holding(second) < 250, 'a part of them in the first step');
  await miners.at(-1)!.until(() => miners.every(({ job }) => job!.id === second));
  // A tip that arrives while a job is being sent to the miners replaces this job.
  world.server.receive({ kind: 'template', template: template(), keys: [] });
  world.newTip();
  await settle();
  const last = newest();
  t.equal(holding(last), 250);
  await new Promise((resolve) => setTimeout(resolve, 120));
  t.equal(holding(last), 250, 'no older job follows');
});
