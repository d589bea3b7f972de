// Hostile miners at the Stratum V1 port: each one ends with a closed connection or waits, while honest miners get jobs and
// find blocks.
import { once } from 'node:events';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import t, { type Test } from 'tap';
import { Daemon } from '../framework/daemon.js';
import { rounds } from '../framework/depth.js';
import { freePort } from '../framework/ports.js';
import { residentMb } from '../framework/resident.js';
import { StratumClient } from '../framework/stratum-client.js';
import { until } from '../framework/until.js';

const OURS = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080';
const NAME = `${OURS}.honest`;
/** -stratumconnections. */
const OPEN = Number(process.env.STRATUM_OPEN ?? rounds(2_000, 10_000));
const AT_ONCE = 100;
const STORM = rounds(1_000, 5_000);
const SLOW_READERS = rounds(40, 100);
const PROXIES = rounds(10, 50);

interface Served {
  readonly node: Daemon;
  readonly port: number;
  readonly log: () => string;
  /** Honest miners, connected before the attack. */
  readonly honest: readonly StratumClient[];
  /** A block by an honest miner reaches all of them, and the chain. */
  mineOne(): Promise<void>;
}

async function serving(t: Test, ...options: string[]): Promise<Served> {
  const port = await freePort();
  const node = await Daemon.startFor(t, '-stratum', `-stratumport=${port}`, '-disablewallet', '-debug=net', ...options);
  await node.call('generatetoaddress', 1, OURS);
  const honest = await Promise.all([1, 2, 3].map(() => StratumClient.start(port, NAME)));
  t.teardown(() => {
    for (const miner of honest) miner.close();
  });
  const mineOne = async (): Promise<void> => {
    const share = honest[0]!.mine();
    t.match(await honest[0]!.submit(NAME, share), { result: true });
    await Promise.all(honest.map((miner) => miner.onTip(share.hashHex)));
    await until('the block is the tip', async () => (await node.call('getbestblockhash')) === share.hashHex);
  };
  return { node, port, honest, mineOne, log: () => fs.readFileSync(path.join(node.networkDir, 'debug.log'), 'utf8') };
}

async function silentSocket(port: number): Promise<net.Socket> {
  const socket = net.connect({ port, host: '127.0.0.1' });
  socket.on('error', () => {});
  // Without a reader the end of the stream is never noticed.
  socket.resume();
  await once(socket, 'connect');
  return socket;
}

const open = (sockets: readonly net.Socket[]): number => sockets.filter(({ destroyed }) => !destroyed).length;

t.test(`holds ${OPEN} silent connections in bounded memory, and closes them after 30 seconds`, async (t) => {
  const { node, port, log, honest, mineOne } = await serving(t, `-stratumconnections=${OPEN}`);
  const pid = node.child?.pid as number;
  for (let i = 0; i < 3; i++) await mineOne();
  const before = residentMb(pid);
  const silent: net.Socket[] = [];
  t.teardown(() => {
    for (const socket of silent) socket.destroy();
  });
  while (silent.length < OPEN) {
    const batch = Array.from({ length: Math.min(AT_ONCE, OPEN - silent.length) }, () => silentSocket(port));
    silent.push(...(await Promise.all(batch)));
  }
  const most = residentMb(pid);
  t.comment(`${open(silent)} of ${OPEN} are open; memory ${before.toFixed(0)} MB before, ${most.toFixed(0)} MB with them`);
  // 5 kB for each connection, and what the node needs for blocks meanwhile.
  t.ok(most - before < OPEN * 0.008 + 40, `${(most - before).toFixed(0)} MB more`);
  await mineOne();
  // A new miner gets the place of the oldest silent connection.
  const late = await StratumClient.start(port, `${OURS}.late`);
  t.teardown(() => late.close());
  await mineOne();
  await late.until(() => late.job!.prevHash === honest[0]!.job!.prevHash);
  await until('the silent connections are closed', () => open(silent) === 0);
  t.match(log(), 'no subscription and authorisation within 30 seconds');
  await mineOne();
  t.same(
    [...honest, late].filter(({ closed }) => closed),
    [],
  );
  t.equal((await node.stop()).code, 0);
});

t.test('survives reconnect storms, slow readers at tip changes, and garbage after authorisation', async (t) => {
  const { node, port, log, honest, mineOne } = await serving(t);
  // Every connection gets a job and closes, by a reset or in the middle of a line.
  for (let done = 0; done < STORM; done += AT_ONCE) {
    const batch = await Promise.all(
      Array.from({ length: AT_ONCE }, async (_, i) => {
        const socket = await silentSocket(port);
        socket.write(
          `{"id":1,"method":"mining.subscribe","params":[]}\n{"id":2,"method":"mining.authorize","params":["${OURS}.w${i}"]}\n{"id`,
        );
        return socket;
      }),
    );
    for (const [i, socket] of batch.entries()) {
      if (i % 2 === 0) socket.resetAndDestroy();
      else socket.destroy();
    }
    if (done % 500 === 0) await mineOne();
  }
  // Miners that never read again, and whose kernel buffers are small.
  const slow: StratumClient[] = [];
  while (slow.length < SLOW_READERS) slow.push(...(await Promise.all(Array.from({ length: 20 }, () => StratumClient.start(port, NAME)))));
  for (const { socket } of slow) socket.pause();
  for (let i = 0; i < 20; i++) await mineOne();
  for (const one of slow) one.close();

  const garbage = ['\0\0\0\n', '\xff\xfe{}\n', 'null\n', '[]\n', '"x"\n', '{"id":1,"method"\n', `${'{'.repeat(9_000)}\n`];
  const sendGarbage = async (bytes: string): Promise<void> => {
    const miner = await StratumClient.start(port, NAME);
    miner.socket.write(Buffer.from(bytes, 'latin1'));
    await miner.ended();
  };
  for (const bytes of garbage) await sendGarbage(bytes);
  // The log shows at most 20 lines per second, and the slow readers may have used them up: the garbage is sent again.
  for (const [bytes, reason] of [
    ['\0\0\0\n', 'no JSON'],
    ['{"id":1,"method"\n', 'a line that is no JSON object'],
  ] as const) {
    await until(`the log has "${reason}"`, async () => {
      await sendGarbage(bytes);
      return log().includes(`is closed: ${reason}\n`);
    });
  }
  await mineOne();
  t.same(
    honest.filter(({ closed }) => closed),
    [],
  );
  t.equal((await node.stop()).code, 0);
});

t.test('serves a proxy with many user names, and many proxies of one address', async (t) => {
  const { port, honest, mineOne } = await serving(t);
  const proxies: StratumClient[] = [];
  t.teardown(() => {
    for (const proxy of proxies) proxy.close();
  });
  for (let p = 0; p < PROXIES; p++) {
    const proxy = await StratumClient.start(port, `${OURS}.proxy${p}`);
    proxies.push(proxy);
    for (let name = 0; name < 300; name++) proxy.send({ id: 1_000 + name, method: 'mining.authorize', params: [`${OURS}.p${p}n${name}`] });
    // The first name and 255 others.
    t.match(await proxy.reply(1_254), { result: true });
    t.match(await proxy.reply(1_255), { error: [24] });
    t.match(await proxy.reply(1_299), { error: [24] });
  }
  await mineOne();
  await Promise.all(proxies.map((proxy) => proxy.until(() => proxy.job!.prevHash === honest[0]!.job!.prevHash)));
  for (const proxy of proxies) t.equal(proxy.lines.filter(({ method }) => method === 'mining.notify').length <= 4, true, 'one job a tip');
  const last = proxies.at(-1)!;
  const share = last.mine();
  t.match(await last.submit(`${OURS}.p${PROXIES - 1}n254`, share), { result: true }, 'a block under the last of its names');
  await Promise.all(honest.map((miner) => miner.onTip(share.hashHex)));
});
