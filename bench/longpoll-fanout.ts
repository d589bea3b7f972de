// Measures a new block while many long polls are parked: when the last byte of the new template reaches the median and
// the slowest client, and how long a small call of another client waits meanwhile. Pools that get the template last
// lose shares and blocks.
//
//   node build/bench/longpoll-fanout.js [--json]      POLLS=100,1000 ROUNDS=n TXS=n FRONTS=n OPTIONS=-templatemode=core CHECKED=1
//   COMPARE=/path/to/bitcoind wakes as many of its clients, in turn; it has a thread for each
import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { type BenchCase, runBench } from './harness/bench.js';
import { bitcoindToCompare, CoreDaemon } from './harness/core-daemon.js';
import { percentile } from './harness/samples.js';
import { FilledNode, TEMPLATE_CALL } from './http-load/filled-node.js';
import { type Child, postRequest, startBare, startLoad, startParkingBare } from './http-load/load.js';

const POLLS = (process.env.POLLS ?? '100,1000').split(',').map(Number);
const ROUNDS = Number(process.env.ROUNDS ?? 5);
const TXS = Number(process.env.TXS ?? 4_407);
const fronts = Number(process.env.FRONTS ?? 1);
// -checktemplates. 0, the default: one template per tip is checked after its publication. 1: each template is checked
// before its publication.
const checked = Number(process.env.CHECKED ?? 0);
const LIMIT = 'a bare uWebSockets.js server that sends the same bytes to the same number of waiting clients on command';
const IDLE = 'the same call, at the same time, to a bare server that does nothing else: what the machine itself makes it wait';
const SETTLE_MS = 150;
// Pause between two small calls. Without it, small calls would take more of a small machine than the long polls, and
// the more, the faster they are answered.
const CALL_PAUSE_MS = 2;

const now = () => performance.timeOrigin + performance.now();

interface Wake {
  readonly median: number;
  readonly p99: number;
  /** Time of the slowest small call to each server. */
  readonly small: readonly number[];
}

async function wake(
  load: Child,
  order: { port: number; request: string; connections: number },
  go: () => unknown,
  calls: readonly (() => Promise<unknown>)[],
): Promise<Wake> {
  load.send({ kind: 'park', ...order });
  await load.next('parked');
  // Wait until every request has been read and parked.
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MS + order.connections));
  let over = false;
  const begun = now();
  const going = go();
  const slowest = calls.map(async (call) => {
    let most = 0;
    while (!over) {
      const sent = now();
      await call();
      most = Math.max(most, now() - sent);
      await sleep(CALL_PAUSE_MS);
    }
    return most;
  });
  const { atMs } = await load.next('woken');
  over = true;
  await going;
  const times = atMs.map((at) => at - begun);
  return { median: percentile(times, 0.5), p99: percentile(times, 0.99), small: await Promise.all(slowest) };
}

await runBench({
  name: 'http/front/fan-out',
  protects: 'the last client that learns of a new block, and all other clients meanwhile',
  async run() {
    const node = await FilledNode.start(TXS, `-fronts=${fronts}`, `-checktemplates=${checked}`);
    const load = await startLoad();
    const reply = await node.post(TEMPLATE_CALL);
    const bare = await startParkingBare(Buffer.from(reply.body));
    const smallCall = '{"method":"getblockcount","id":1}';
    const idle = await startBare(Buffer.from('{"result":0,"error":null,"id":1}\n'));
    const agent = new http.Agent({ keepAlive: true });
    const ask = (port: number): Promise<void> =>
      new Promise((resolve, reject) => {
        const request = http.request({ host: '127.0.0.1', port, method: 'POST', agent }, (got) => got.resume().on('end', resolve));
        request.on('error', reject).end(smallCall);
      });
    const program = bitcoindToCompare();
    const threads = Math.max(...POLLS) + 16;
    const core =
      program === null ? null : await CoreDaemon.start(program, '-maxmempool=300', `-rpcthreads=${threads}`, `-rpcworkqueue=${threads}`);
    await core?.copy(node.daemon);
    const pollOf = (longpollid: string): string => TEMPLATE_CALL.replace('["segwit"]', `["segwit"],"longpollid":"${longpollid}"`);
    const cases: BenchCase[] = [];
    for (const connections of POLLS) {
      const wakes: Wake[] = [];
      const limits: Wake[] = [];
      const theirs: Wake[] = [];
      for (let round = -1; round < ROUNDS; round++) {
        const block = await node.emptyBlock();
        const { longpollid } = await node.template();
        const submit = JSON.stringify({ method: 'submitblock', params: [block.hex], id: 1 });
        const order = { port: node.daemon.port, request: postRequest(node.daemon.auth, pollOf(longpollid)), connections };
        const woken = await wake(load, order, () => node.post(submit), [() => node.daemon.post(smallCall), () => ask(idle.port)]);
        // Send the same number of small calls to a server that does nothing else, to see the influence of the machine.
        const bound = await wake(load, { ...order, port: bare.port }, () => bare.go(), [() => ask(idle.port), () => ask(idle.port)]);
        if (core !== null) {
          const { longpollid } = await core.call('getblocktemplate', { rules: ['segwit'] });
          const theirOrder = { port: core.port, request: postRequest(core.auth, pollOf(longpollid)), connections };
          const other = await wake(load, theirOrder, () => core.post(submit), [() => core.post(smallCall)]);
          if (round >= 0) theirs.push(other);
        }
        if (round < 0) continue;
        wakes.push(woken);
        limits.push(bound);
      }
      const hundred = connections === 100;
      cases.push(
        {
          name: `${connections} polls, median client`,
          unit: 'ms',
          better: 'lower',
          samples: wakes.map((one) => one.median),
          limit: { name: LIMIT, samples: limits.map((one) => one.median) },
        },
        {
          name: `${connections} polls, p99 client`,
          unit: 'ms',
          better: 'lower',
          samples: wakes.map((one) => one.p99),
          limit: { name: LIMIT, samples: limits.map((one) => one.p99) },
          ...(hundred ? { goal: { text: '<= 150', reached: (p50: number) => p50 <= 150 } } : {}),
        },
        {
          name: `${connections} polls, slowest small call meanwhile`,
          unit: 'ms',
          better: 'lower',
          samples: wakes.map((one) => one.small[0]!),
          limit: { name: IDLE, samples: wakes.map((one) => one.small[1]!) },
          goal: { text: '<= 10', reached: (p50: number) => p50 <= 10 },
        },
      );
      if (core === null) continue;
      const samplesOf: Record<string, (wake: Wake) => number> = {
        'median client': (wake) => wake.median,
        'p99 client': (wake) => wake.p99,
        'slowest small call meanwhile': (wake) => wake.small[0]!,
      };
      for (const [what, sample] of Object.entries(samplesOf))
        cases.push({ name: `bitcoind: ${connections} polls, ${what}`, unit: 'ms', better: 'lower', samples: theirs.map(sample) });
    }
    await core?.end();
    bare.end();
    idle.end();
    agent.destroy();
    load.end();
    await node.end();
    return {
      cases,
      notes: [
        `${(reply.body.length / 1e6).toFixed(2)} MB a reply, ${fronts} front(s), -checktemplates=${checked}; times from submitblock to a client's last byte`,
      ],
    };
  },
});
