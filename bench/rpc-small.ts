// Measures small calls over 16 open connections, as monitoring, pools and explorers make them all day. Most of them
// must not need the node thread. Figures: the rate of each call, and the processor time of a call, which other work of
// the machine distorts less: that of the node thread, and that of all other threads of the process, which is the front
// thread here.
//
//   node build/bench/rpc-small.js [--json]
//   FRONTS=n for the number of front threads, PAYMENTS=n for the mempool, ROUNDS=n, ONLY=method,...
//   COMPARE=/path/to/bitcoind sends the same calls to it in the same rounds
import { type BenchCase, runBench } from './harness/bench.js';
import { bitcoindToCompare, CoreDaemon } from './harness/core-daemon.js';
import { nodeThreadMilliseconds, processorSeconds } from './harness/process-figures.js';
import { percentile } from './harness/samples.js';
import { FilledNode } from './http-load/filled-node.js';
import { type Child, postRequest, runLoop, startBare, startLoad } from './http-load/load.js';

const CONNECTIONS = 16;
const SECONDS = 1;
const PAYMENTS = Number(process.env.PAYMENTS ?? 20);
const ROUNDS = Number(process.env.ROUNDS ?? 8);
const fronts = Number(process.env.FRONTS ?? 1);
const program = bitcoindToCompare();

const ADDRESS = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080';
const GOALS: Record<string, BenchCase['goal']> = {
  getbestblockhash: { text: '>= 60 % of the limit', reached: (_, ratio) => ratio !== null && ratio >= 0.6 },
  validateaddress: { text: '> 75,000', reached: (p50) => p50 > 75_000 },
};

/** Returns the arguments of each call, for a node with blocks and a few payments in its mempool. */
async function calls(node: FilledNode): Promise<Record<string, readonly unknown[]>> {
  const { daemon } = node;
  const [txid] = await daemon.call('getrawmempool');
  const all: Record<string, readonly unknown[]> = {
    getbestblockhash: [],
    validateaddress: [ADDRESS],
    getblockcount: [],
    getblockchaininfo: [],
    getmininginfo: [],
    getmempoolinfo: [],
    getblockheader: [await daemon.call('getbestblockhash')],
    getmempoolentry: [txid],
    getnetworkinfo: [],
    estimatesmartfee: [6],
    getblocktemplate: [{ rules: ['segwit'] }],
  };
  const only = process.env.ONLY?.split(',') ?? Object.keys(all);
  return Object.fromEntries(Object.entries(all).filter(([method]) => only.includes(method)));
}

/** Figures of one call, one sample per round. */
class Measured {
  readonly rates: number[] = [];
  readonly limits: number[] = [];
  readonly core: number[] = [];
  readonly coreMicroseconds: number[] = [];
  readonly nodeMicroseconds: number[] = [];
  readonly otherMicroseconds: number[] = [];

  cases(method: string): BenchCase[] {
    const cases: BenchCase[] = [
      {
        name: method,
        unit: 'calls/s',
        better: 'higher',
        samples: this.rates,
        limit: { name: 'a bare uWebSockets.js handler sending the same bytes', samples: this.limits },
        goal: GOALS[method],
      },
      { name: `${method}: other threads`, unit: 'us of processor', better: 'lower', samples: this.otherMicroseconds },
      { name: `${method}: node thread`, unit: 'us of processor', better: 'lower', samples: this.nodeMicroseconds },
    ];
    if (this.core.length === 0) return cases;
    const twice = 2 * percentile(this.core, 0.5);
    cases[0] = { ...cases[0]!, goal: { text: "twice Core's", reached: (p50) => p50 >= twice } };
    return [
      ...cases,
      { name: `${method}: bitcoind`, unit: 'calls/s', better: 'higher', samples: this.core },
      { name: `${method}: bitcoind's threads`, unit: 'us of processor', better: 'lower', samples: this.coreMicroseconds },
    ];
  }
}

async function round(load: Child, node: FilledNode, core: CoreDaemon | null, bare: { port: number }, body: string): Promise<Measured> {
  const { daemon } = node;
  const measured = new Measured();
  const order = { request: postRequest(daemon.auth, body), connections: CONNECTIONS, seconds: SECONDS };
  for (let at = -1; at < ROUNDS; at++) {
    const pid = daemon.child!.pid!;
    const before = nodeThreadMilliseconds(pid);
    const there = await runLoop(load, { ...order, port: daemon.port });
    const after = nodeThreadMilliseconds(pid);
    const bound = await runLoop(load, { ...order, port: bare.port });
    if (at < 0) continue;
    measured.rates.push(there.calls / there.seconds);
    measured.nodeMicroseconds.push(((after.main - before.main) * 1000) / there.calls);
    measured.otherMicroseconds.push(((after.others - before.others) * 1000) / there.calls);
    measured.limits.push(bound.calls / bound.seconds);
    if (core === null) continue;
    const begun = processorSeconds(core.pid);
    const other = await runLoop(load, { ...order, request: postRequest(core.auth, body), port: core.port });
    measured.coreMicroseconds.push(((processorSeconds(core.pid) - begun) * 1e6) / other.calls);
    measured.core.push(other.calls / other.seconds);
  }
  return measured;
}

await runBench({
  name: 'http/front',
  protects: 'calls per second of clients with small questions, and the time of the node thread',
  async run() {
    const node = await FilledNode.start(PAYMENTS, `-fronts=${fronts}`);
    const core = program === null ? null : await CoreDaemon.start(program);
    if (core !== null) await core.copy(node.daemon);
    const load = await startLoad();
    const cases: BenchCase[] = [];
    for (const [method, params] of Object.entries(await calls(node))) {
      const body = JSON.stringify({ method, params, id: 1 });
      const bare = await startBare(Buffer.from((await node.post(body)).body));
      cases.push(...(await round(load, node, core, bare, body)).cases(method));
      bare.end();
    }
    load.end();
    await core?.end();
    await node.end();
    return { cases, notes: [`${fronts} front(s), ${CONNECTIONS} connections, rounds of ${SECONDS} s in turn with the limit`] };
  },
});
