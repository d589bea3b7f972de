// Compares front processes on other machines with a node's own front threads: time until the first byte of new work
// reaches clients, template replies per second, bytes sent to a front process, and how long clients have no work on the
// best tip when their node dies or is stopped. A distant pool loses every millisecond by which it receives a block
// later.
//
//   node build/bench/fleet.js [--json]      POLLS=1000 ROUNDS=n TXS=n FRONTS=1,2,4; needs nats-server
import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { Wire } from '../test/fleet/wire.js';
import { Broker, FrontProcess, fleetNode, followOption, noBroker } from '../test/framework/fleet.js';
import { until } from '../test/framework/until.js';
import { blockOf } from '../test/soak/template-block.js';
import { type BenchCase, runBench } from './harness/bench.js';
import { percentile } from './harness/samples.js';
import { FilledNode, TEMPLATE_CALL } from './http-load/filled-node.js';

const POLLS = Number(process.env.POLLS ?? 1_000);
const ROUNDS = Number(process.env.ROUNDS ?? 5);
const TXS = Number(process.env.TXS ?? 4_407);
const FRONTS = (process.env.FRONTS ?? '1,2,4').split(',').map(Number);
const REPLIES_MS = 1_000;
const REPLY_CLIENTS = 8;
/** Time after which the requests are parked, and the work that a block causes has ended. */
const QUIET_MS = 1_500;

if (noBroker) {
  process.stdout.write(`${noBroker.skip}\n`);
  process.exit(1);
}

interface Port {
  readonly port: number;
  readonly auth: string;
}

/** Sends a request. Returns the body of the reply and the time of its first byte, by performance.now(). */
function ask({ port, auth }: Port, body: string, agent: http.Agent): Promise<{ first: number; text: string }> {
  return new Promise((resolve, reject) => {
    const request = http.request({ host: '127.0.0.1', port, method: 'POST', auth, agent }, (reply) => {
      const first = performance.now();
      const chunks: Buffer[] = [];
      reply.on('data', (chunk: Buffer) => chunks.push(chunk));
      reply.on('end', () => resolve({ first, text: Buffer.concat(chunks).toString('latin1') }));
    });
    request.on('error', reject).end(body);
  });
}

const newAgent = (): http.Agent => new http.Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });

/**
 * Parks long polls on several ports, runs `go`, and returns for each client the milliseconds until the first byte of
 * its reply.
 */
async function wake(ports: readonly Port[], go: () => Promise<unknown>): Promise<number[]> {
  const agent = newAgent();
  // Long poll ids of front processes differ, because each process numbers its templates itself.
  const asked = await Promise.all(ports.map((port) => ask(port, TEMPLATE_CALL, agent)));
  const requests = asked.map(({ text }) => {
    const { result } = JSON.parse(text) as { result: { longpollid: string } };
    return TEMPLATE_CALL.replace('["segwit"]', `["segwit"],"longpollid":"${result.longpollid}"`);
  });
  const polls = Array.from({ length: POLLS }, (_, i) => {
    const at = i % ports.length;
    return ask(ports[at] as Port, requests[at] as string, agent);
  });
  await sleep(QUIET_MS);
  const begun = performance.now();
  await go();
  const times = (await Promise.all(polls)).map(({ first }) => first - begun);
  agent.destroy();
  return times;
}

async function repliesInASecond(ports: readonly Port[]): Promise<number> {
  const agent = newAgent();
  const begun = performance.now();
  let count = 0;
  const client = async (port: Port): Promise<void> => {
    for (; performance.now() - begun < REPLIES_MS; count++) await ask(port, TEMPLATE_CALL, agent);
  };
  await Promise.all(Array.from({ length: REPLY_CLIENTS }, (_, i) => client(ports[i % ports.length] as Port)));
  agent.destroy();
  return (count * 1000) / REPLIES_MS;
}

const ms = (name: string, samples: number[], goal?: number): BenchCase => ({
  name,
  unit: 'ms',
  better: 'lower',
  samples,
  ...(goal === undefined ? {} : { goal: { text: `<= ${goal}`, reached: (p50: number) => p50 <= goal } }),
});

/**
 * Returns how long clients of a front have no work when the followed node ends and the other node has a new block at
 * the same moment.
 */
async function gaps(end: 'kill' | 'stop', rounds: number): Promise<number[]> {
  const broker = await Broker.start();
  const nodes = [await fleetNode(broker, 'a'), await fleetNode(broker, 'b')] as const;
  const front = await FrontProcess.start(`-fleet=${broker.url}`, ...nodes.map(followOption));
  const port: Port = { port: front.port, auth: 'u:p' };
  const found: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const template = await front.call('getblocktemplate', { rules: ['segwit'] });
    const block = blockOf(template, round, true);
    const followed = front.followed === 'a' ? nodes[0] : nodes[1];
    const other = followed === nodes[0] ? nodes[1] : nodes[0];
    const submit = (): Promise<unknown> => other.call('submitblock', block.bytes.toString('hex'));
    const times = await wake([port], async () => {
      if (end === 'kill') await followed.kill();
      else await followed.call('stop');
      await submit();
    });
    found.push(Math.max(...times));
    if (end === 'stop') await followed.ended();
    await followed.up();
    await until('both nodes have the block', async () => {
      await followed.call('submitblock', block.bytes.toString('hex'));
      return (await followed.call('getbestblockhash')) === block.hashHex;
    });
    await sleep(QUIET_MS);
  }
  await front.remove();
  for (const node of nodes) await node.remove();
  await broker.remove();
  return found;
}

await runBench({
  name: 'fleet',
  protects: 'clients of fronts on other machines: they hear of a block hardly later than those of the node',
  async run() {
    const broker = await Broker.start();
    const wire = await Wire.to(broker.port);
    const options = ['-fleetname=a', '-fleetaccount=fronts', '-templatemode=live', '-checktemplates=0', '-fronts=1'];
    const node = await FilledNode.start(TXS, `-fleet=${broker.url}`, ...options, '-longpollinterval=600');
    const follow = followOption(node.daemon);
    const fronts: FrontProcess[] = [];
    const local: Port = { port: node.daemon.port, auth: node.daemon.auth };
    const cases: BenchCase[] = [];
    const bytes: number[] = [];
    for (const count of [0, ...FRONTS]) {
      while (fronts.length < count) {
        // The first front process connects to the broker through a wire that counts bytes.
        const url = fronts.length === 0 ? `nats://127.0.0.1:${wire.port}` : broker.url;
        fronts.push(await FrontProcess.start(`-fleet=${url}`, follow, '-fronts=1', '-fleettimeout=10000'));
      }
      const ports = count === 0 ? [local] : fronts.map(({ port }) => ({ port, auth: 'u:p' }));
      const name = count === 0 ? 'a local front' : `${count} remote front${count > 1 ? 's' : ''}`;
      const p50: number[] = [];
      const p99: number[] = [];
      const rates: number[] = [];
      for (let round = -1; round < ROUNDS; round++) {
        const block = await node.emptyBlock();
        await node.fullTemplate(TXS);
        await sleep(QUIET_MS);
        const before = wire.bytesDown;
        const submit = JSON.stringify({ method: 'submitblock', params: [block.hex], id: 1 });
        const times = await wake(ports, () => node.daemon.post(submit));
        const rate = await repliesInASecond(ports);
        if (round < 0) continue;
        if (count === 1) bytes.push(wire.bytesDown - before);
        p50.push(percentile(times, 0.5));
        p99.push(percentile(times, 0.99));
        rates.push(rate);
      }
      cases.push(ms(`${name}: block to first byte, median of ${POLLS} clients`, p50), ms(`${name}: block to first byte, p99`, p99));
      cases.push({ name: `${name}: template replies`, unit: '/s', better: 'higher', samples: rates });
    }
    cases.push({
      name: 'to a front, for a block with its templates and some seconds of facts',
      unit: 'kB',
      better: 'lower',
      samples: bytes.map((n) => n / 1000),
    });
    for (const front of fronts) await front.remove();
    await node.end();
    wire.close();
    await broker.remove();
    cases.push(ms('a node is killed: until every client has the best tip', await gaps('kill', ROUNDS), 3000));
    cases.push(ms('a node is stopped: until every client has the best tip', await gaps('stop', ROUNDS), 300));
    return { cases, notes: [`${TXS} transactions; all processes and clients on one machine`] };
  },
});
