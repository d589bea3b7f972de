// Measures a new block with a thousand Stratum V2 clients, each with a prepared template: from submitblock to the first
// byte of SetNewPrevHash at each client. Compares with the same bytes from plain sockets, and with long polls of the
// same block over JSON-RPC.
//
//   node build/bench/sv2-fanout.js [--json]      CLIENTS=1000 POLLS=100 ROUNDS=n TXS=n OPTIONS=-templatemode=live
import { freePort } from '../test/framework/ports.js';
import { type BenchCase, runBench } from './harness/bench.js';
import { residentMemory } from './harness/process-figures.js';
import { percentile } from './harness/samples.js';
import { FilledNode, TEMPLATE_CALL } from './http-load/filled-node.js';
import { Child, postRequest, startLoad } from './http-load/load.js';

const CLIENTS = Number(process.env.CLIENTS ?? 1_000);
const POLLS = Number(process.env.POLLS ?? 100);
const ROUNDS = Number(process.env.ROUNDS ?? 10);
const TXS = Number(process.env.TXS ?? 4_407);
/** Encrypted size of SetNewPrevHash: header and payload with their tags. */
const NEWS_BYTES = 22 + 80 + 16;
const SETTLE_MS = 300;
const LIMIT = `a bare node:net server that writes ${NEWS_BYTES} ready-made bytes to the same number of plain sockets on command`;

const now = (): number => performance.timeOrigin + performance.now();
const settle = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, SETTLE_MS));

interface Wake {
  readonly median: number;
  readonly p99: number;
  readonly last: number;
}

const wakeOf = (atMs: readonly number[], begun: number): Wake => {
  const times = atMs.map((at) => at - begun);
  return { median: percentile(times, 0.5), p99: percentile(times, 0.99), last: Math.max(...times) };
};

async function clients(port: number, count: number, plain: boolean): Promise<Child> {
  const child = new Child('../sv2-load/client-child.js');
  await child.next('up');
  child.send({ kind: 'connect', port, count, plain });
  await child.next('parked');
  return child;
}

async function armed(child: Child): Promise<void> {
  child.send({ kind: 'arm' });
  await child.next('parked');
}

await runBench({
  name: 'sv2/serve/server',
  protects: 'the last pool that learns of a new block',
  async run() {
    const port = await freePort();
    const node = await FilledNode.start(TXS, '-sv2', `-sv2port=${port}`, '-checktemplates=0');
    const pid = node.daemon.child?.pid as number;
    const before = residentMemory(pid);
    const crowd = await clients(port, CLIENTS, false);
    const perClient = ((residentMemory(pid) - before) * 1e6) / CLIENTS;
    const bare = new Child('../sv2-load/bare-child.js');
    bare.send(NEWS_BYTES);
    const sockets = await clients((await bare.next('listening')).port, CLIENTS, true);
    const load = await startLoad();
    const received: Wake[] = [];
    const limits: Wake[] = [];
    const polls: Wake[] = [];
    for (let round = -1; round < ROUNDS; round++) {
      const block = await node.emptyBlock();
      const { longpollid } = await node.template();
      const poll = TEMPLATE_CALL.replace('["segwit"]', `["segwit"],"longpollid":"${longpollid}"`);
      load.send({ kind: 'park', port: node.daemon.port, request: postRequest(node.daemon.auth, poll), connections: POLLS });
      await load.next('parked');
      await settle();
      await armed(crowd);
      const begun = now();
      const submitted = node.post(JSON.stringify({ method: 'submitblock', params: [block.hex], id: 1 }));
      const [woken, polled] = await Promise.all([crowd.next('woken'), load.next('woken')]);
      await submitted;
      await settle();
      await armed(sockets);
      const limitBegun = now();
      bare.send('go');
      const limit = await sockets.next('woken');
      if (round < 0) continue;
      received.push(wakeOf(woken.atMs, begun));
      polls.push(wakeOf(polled.atMs, begun));
      limits.push(wakeOf(limit.atMs, limitBegun));
    }
    for (const child of [crowd, sockets, bare, load]) child.end();
    await node.end();
    const beside = (name: string, read: (wake: Wake) => number, goal: Partial<BenchCase> = {}): BenchCase => ({
      name: `${CLIENTS} clients, ${name}`,
      unit: 'ms',
      better: 'lower',
      samples: received.map(read),
      limit: { name: LIMIT, samples: limits.map(read) },
      ...goal,
    });
    return {
      cases: [
        beside('median client', (wake) => wake.median),
        beside('p99 client', (wake) => wake.p99, {
          goal: { text: '<= 30 and within 3 x', reached: (p50, ratio) => p50 <= 30 && (ratio === null || ratio <= 3) },
        }),
        beside('last client', (wake) => wake.last),
        { name: `${POLLS} long polls, p99 client, last byte`, unit: 'ms', better: 'lower', samples: polls.map((wake) => wake.p99) },
        { name: 'resident memory of the node for each client', unit: 'bytes', better: 'lower', samples: [perClient] },
      ],
      notes: [`times from submitblock; ${TXS} transactions in the mempool`],
    };
  },
});
