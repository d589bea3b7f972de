// Small calls over 16 kept-open connections: what monitoring, pools and explorers do all day, and what must not need a
// turn of the node thread.
//
//   node build/bench/rpc-small.js [--json]      FRONTS=n for the number of front threads, ROUNDS=n
import { type BenchCase, runBench } from './harness/bench.js';
import { FilledNode } from './http-load/filled-node.js';
import { postRequest, runLoop, startBare, startLoad } from './http-load/load.js';

const CONNECTIONS = 16;
const SECONDS = 1;
const ROUNDS = Number(process.env.ROUNDS ?? 8);
const fronts = Number(process.env.FRONTS ?? 1);

interface Small {
  readonly name: string;
  readonly body: string;
  readonly goal?: BenchCase['goal'];
}

const CALLS: readonly Small[] = [
  {
    name: 'getbestblockhash (front)',
    body: '{"method":"getbestblockhash","params":[],"id":1}',
    goal: { text: '>= 60 % of the limit', reached: (_, ratio) => ratio !== null && ratio >= 0.6 },
  },
  {
    name: 'validateaddress (front)',
    body: '{"method":"validateaddress","params":["bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080"],"id":1}',
    goal: { text: '> 75,000', reached: (p50) => p50 > 75_000 },
  },
  { name: 'getmempoolinfo (node thread)', body: '{"method":"getmempoolinfo","params":[],"id":1}' },
];

await runBench({
  name: 'http/front',
  protects: 'calls per second that clients with small questions get, and the node thread from being asked',
  async run() {
    const node = await FilledNode.start(0, `-fronts=${fronts}`);
    const load = await startLoad();
    const cases: BenchCase[] = [];
    for (const call of CALLS) {
      const { body } = await node.post(call.body);
      const bare = await startBare(Buffer.from(body));
      const order = { request: postRequest(node.daemon.auth, call.body), connections: CONNECTIONS, seconds: SECONDS };
      const samples: number[] = [];
      const limit: number[] = [];
      for (let round = -1; round < ROUNDS; round++) {
        const there = await runLoop(load, { ...order, port: node.daemon.port });
        const bound = await runLoop(load, { ...order, port: bare.port });
        if (round < 0) continue;
        samples.push(there.calls / there.seconds);
        limit.push(bound.calls / bound.seconds);
      }
      bare.end();
      cases.push({
        name: call.name,
        unit: 'calls/s',
        better: 'higher',
        samples,
        limit: { name: 'a bare uWebSockets.js handler sending the same bytes', samples: limit },
        ...(call.goal ? { goal: call.goal } : {}),
      });
    }
    load.end();
    await node.end();
    return { cases, notes: [`${fronts} front(s), ${CONNECTIONS} connections, rounds of ${SECONDS} s in turn with the limit`] };
  },
});
