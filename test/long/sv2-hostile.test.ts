// Hostile clients at the Stratum V2 port: each one ends with a closed connection and a line in the log, while other
// clients and getblocktemplate continue. Many clients receive a new tip.
import { once } from 'node:events';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import t, { type Test } from 'tap';
import { Daemon } from '../framework/daemon.js';
import { rounds } from '../framework/depth.js';
import { freePort } from '../framework/ports.js';
import { residentMb } from '../framework/resident.js';
import { constraintsPayload, Sv2Client, setupPayload, solve } from '../framework/sv2-client.js';
import { until } from '../framework/until.js';

const OURS = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080';
const CROWD = rounds(150, 1_000);
/** SV2_OPEN=10000 is the long form. */
const OPEN = Number(process.env.SV2_OPEN ?? 2_300);

async function serving(t: Test, ...options: string[]): Promise<{ node: Daemon; port: number; log: () => string }> {
  const port = await freePort();
  const node = await Daemon.startFor(t, '-sv2', `-sv2port=${port}`, '-fronts=1', '-disablewallet', '-debug=net', ...options);
  await node.call('generatetoaddress', 20, OURS);
  return { node, port, log: () => fs.readFileSync(path.join(node.networkDir, 'debug.log'), 'utf8') };
}

/** @param from last number of the address that it comes from */
async function socketTo(port: number, from = 1): Promise<net.Socket> {
  const socket = net.connect({ port, host: '127.0.0.1', localAddress: `127.0.0.${from}` });
  socket.on('error', () => {});
  // Without a reader the end of the stream is never noticed.
  socket.resume();
  await once(socket, 'connect');
  return socket;
}

t.test('closes connections that send bad input', async (t) => {
  const { node, port, log } = await serving(t);
  const honest = await Sv2Client.start(port);
  t.teardown(() => honest.close());
  await honest.nextOf('prevhash');

  const garbage = await socketTo(port);
  garbage.write(Buffer.alloc(5_000, 0x47));
  await once(garbage, 'close');
  await until('garbage is in the log', () => /client \d+ \(127\.0\.0\.1:\d+\) is closed: the first message does not decrypt/.test(log()));

  const replaying = await Sv2Client.start(port);
  const frame = replaying.noise.frame(0, 0x70, constraintsPayload(50, 0));
  replaying.socket.write(frame);
  replaying.socket.write(frame);
  await replaying.ended();
  await until('the replay is in the log', () => log().includes('"test" (127.0.0.1:') && log().includes('a header does not decrypt'));

  const oversized = await Sv2Client.start(port);
  oversized.socket.write(oversized.noise.frame(0, 0x76, Buffer.alloc(0), 16_777_215));
  await oversized.ended();
  await until('the large frame is in the log', () => log().includes('a message of 16777215 bytes'));

  // Pieces of one byte, through to a template.
  const slow = await Sv2Client.open(port);
  t.teardown(() => slow.close());
  for (const byte of slow.noise.frame(0, 0x00, setupPayload())) slow.socket.write(Buffer.from([byte]));
  t.match(await slow.next(), { kind: 'setup-success' });
  for (const byte of slow.noise.frame(0, 0x70, constraintsPayload(1, 1))) slow.socket.write(Buffer.from([byte]));
  await slow.nextOf('prevhash');

  // Half a handshake, and nothing at all: both hold nothing up.
  const half = await socketTo(port);
  half.write(Buffer.alloc(63, 1));
  const silent = await socketTo(port);
  t.teardown(() => half.destroy());
  t.teardown(() => silent.destroy());

  // This client sends requests and reads nothing.
  const greedy = await Sv2Client.start(port);
  await greedy.nextOf('prevhash');
  greedy.socket.pause();
  const question = Buffer.alloc(8);
  // In turns of the loop, which the other connections of this process need: the kernel may take a long time to be full.
  const flood = (): void => {
    if (greedy.socket.destroyed) return;
    let room = true;
    for (let i = 0; i < 1_000 && room; i++) room = greedy.socket.write(greedy.noise.frame(0, 0x73, question));
    if (room) setImmediate(flood);
    else greedy.socket.once('drain', () => setImmediate(flood));
  };
  flood();
  await until('a client that reads nothing is closed', () => /is closed: (\d+ bytes wait for it|it asks for transactions)/.test(log()));
  greedy.close();

  // No proof of work, a coinbase that is none, an unknown template: said, and nothing else.
  const { template, prevHash } = honest;
  const solution = solve(template!, prevHash!);
  const lazy = Buffer.from(solution.payload);
  lazy.writeUInt32LE(prevHash!.time - 1_000_000, 12);
  honest.send(0x76, Buffer.concat([lazy.subarray(0, 20), Buffer.from([2, 0, 0xab, 0xcd])]));
  const unknown = Buffer.from(solution.payload);
  unknown.writeBigUInt64LE(7n);
  honest.send(0x76, unknown);
  await until('bad solutions are counted', async () => {
    const { solutions } = await node.call('getsv2info');
    return solutions.bad === 1 && solutions.unknown === 1;
  });
  await until('the lost one is in the log', () => log().includes('for the unknown template 7. A block may be lost.'));

  t.equal((await node.call('getblocktemplate', { rules: ['segwit'] })).height, 21, 'getblocktemplate goes on');
  honest.submit(solution);
  await honest.onTip(solution.hashHex);
  await slow.onTip(solution.hashHex);
  t.same(honest.wrongs, []);
  t.same((await node.stop()).code, 0);
});

t.test('evicts connections that never finish the handshake', async (t) => {
  const { node, port } = await serving(t);
  const honest = await Sv2Client.start(port);
  t.teardown(() => honest.close());
  await honest.nextOf('prevhash');
  const memory = (): number => residentMb(node.child?.pid as number);
  const request = { rules: ['segwit'] };
  const timed = async (): Promise<number> => {
    const begun = performance.now();
    await node.call('getblocktemplate', request);
    return performance.now() - begun;
  };
  const alone: number[] = [];
  for (let i = 0; i < 50; i++) alone.push(await timed());
  const before = memory();

  const idle: net.Socket[] = [];
  t.teardown(() => {
    for (const socket of idle) socket.destroy();
  });
  const crowded: number[] = [];
  let most = 0;
  while (idle.length < OPEN) {
    const batch = Array.from({ length: Math.min(100, OPEN - idle.length) }, (_, i) => socketTo(port, 2 + (i % 50)));
    idle.push(...(await Promise.all(batch)));
    crowded.push(await timed());
    most = Math.max(most, (await node.call('getsv2info')).connections);
  }
  t.ok(most <= 2_000, `${most} were open at most`);
  await until('the others are closed', () => idle.filter(({ destroyed }) => !destroyed).length < 2_000);
  const late = await Sv2Client.start(port);
  t.teardown(() => late.close());
  await late.nextOf('prevhash');
  await node.call('generatetoaddress', 1, OURS);
  const tip = await node.call('getbestblockhash');
  await Promise.all([honest.onTip(tip), late.onTip(tip)]);
  const solution = solve(honest.template!, honest.prevHash!);
  honest.submit(solution);
  await Promise.all([honest.onTip(solution.hashHex), late.onTip(solution.hashHex)]);
  t.same([...honest.wrongs, ...late.wrongs], [], 'clients are served all the while');
  const median = (times: number[]): string => (times.sort((a, b) => a - b)[times.length >> 1] ?? 0).toFixed(1);
  const worst = Math.max(...crowded).toFixed(1);
  t.comment(`${OPEN} opened; memory ${before.toFixed(0)} MB before, ${memory().toFixed(0)} MB after`);
  t.comment(`getblocktemplate: ${median(alone)} ms alone, ${median(crowded)} ms meanwhile, ${worst} ms at worst`);
  t.same((await node.stop()).code, 0);
});

t.test('sends a new tip to many clients', async (t) => {
  const { node, port } = await serving(t);
  const clients: Sv2Client[] = [];
  t.teardown(() => {
    for (const client of clients) client.close();
  });
  while (clients.length < CROWD) {
    clients.push(...(await Promise.all(Array.from({ length: 50 }, () => Sv2Client.start(port)))));
  }
  await Promise.all(clients.map((client) => client.told(() => client.template !== null && [...client.templates.values()].length === 2)));
  const before = await node.call('getsv2info');
  t.equal(before.clients.length, CROWD);
  const solution = solve(clients[0]!.template!, clients[0]!.prevHash!);
  clients[0]!.submit(solution);
  await Promise.all(clients.map((client) => client.onTip(solution.hashHex)));
  const { templates } = await node.call('getsv2info');
  t.equal(templates.activated, CROWD, 'each by the template that it held');
  t.equal(templates.empty, before.templates.empty, 'nothing else was sent first');
  t.same(
    clients.flatMap(({ wrongs }) => wrongs),
    [],
  );
});
