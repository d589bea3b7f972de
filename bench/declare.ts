// A declared job's block checked without proof of work (getblocktemplate, mode proposal) while its transactions are in the mempool: what a
// job declarator waits for. Scripts that ran for the mempool must not run again.
//
//   node build/bench/declare.js [--json]      TXS=n transactions, ROUNDS=n, COMPARE=/path/to/bitcoind
import { setTimeout as sleep } from 'node:timers/promises';
import { testKey } from '../test/framework/keys.js';
import { mine } from '../test/framework/miner.js';
import { type BenchCase, runBench } from './harness/bench.js';
import { bitcoindToCompare, CoreDaemon } from './harness/core-daemon.js';
import { threadMilliseconds, threadsSince } from './harness/process-figures.js';
import { percentile } from './harness/samples.js';
import { FilledNode, TEMPLATE_CALL } from './http-load/filled-node.js';
import { postRequest, runLoop, startBare, startLoad } from './http-load/load.js';

const TXS = Number(process.env.TXS ?? 4_407);
const ROUNDS = Number(process.env.ROUNDS ?? 40);
const WARMUP = 5;
const LIMIT = 'a bare uWebSockets.js handler taking the same bytes';

/** Somewhere to send a call to; what it costs that process is read from /proc. */
interface Side {
  readonly name: string;
  readonly pid: number;
  readonly times: number[];
  /** Milliseconds by thread over all rounds. */
  readonly threads: Map<string, number>;
  post(body: string): Promise<{ body: string }>;
}

/** One call that finds the block valid, timed, with what each thread of the process spent on it. */
async function check(side: Side, body: string, counts: boolean): Promise<void> {
  const before = threadMilliseconds(side.pid);
  const begun = performance.now();
  const reply = JSON.parse((await side.post(body)).body);
  const took = performance.now() - begun;
  if (reply.result !== null || reply.error !== null) throw new Error(`${side.name}: refused: ${JSON.stringify(reply)}`);
  if (!counts) return;
  side.times.push(took);
  // What it frees after its reply belongs to the call.
  await sleep(20);
  for (const [name, ms] of threadsSince(side.pid, before)) side.threads.set(name, (side.threads.get(name) ?? 0) + ms);
}

/** "node 12.3, verify 4.0": processor milliseconds of each thread for one call. */
function threadLine({ name, threads }: Side): string {
  const each = [...threads].sort((a, b) => b[1] - a[1]).map(([thread, ms]) => `${thread} ${(ms / ROUNDS).toFixed(1)}`);
  return `processor ms of a call, ${name}: ${each.join(', ') || 'below 0.1'}`;
}

await runBench({
  name: 'declare',
  protects: 'how soon a declared job is accepted',
  async run() {
    const bitcoind = bitcoindToCompare();
    const node = await FilledNode.start(TXS);
    const core = bitcoind === null ? null : await CoreDaemon.start(bitcoind, '-maxmempool=300');
    if (core !== null) await core.copy(node.daemon);
    const load = await startLoad();
    const bare = await startBare(Buffer.from('null'));
    const template = JSON.parse((await node.post(TEMPLATE_CALL)).body).result;
    const side = (name: string, pid: number, post: Side['post']): Side => ({ name, pid, post, times: [], threads: new Map() });
    const ours = side('adit', node.daemon.child!.pid!, (body) => node.post(body));
    const theirs = core === null ? null : side('Bitcoin Core', core.pid, (body) => core.post(body));
    const limits: number[] = [];
    for (let round = -WARMUP; round < ROUNDS; round++) {
      // Another coinbase each time: nothing is remembered of the block as a whole.
      const { hex } = mine(template, 'p2wpkh', testKey(1));
      const body = JSON.stringify({ method: 'getblocktemplate', params: [{ mode: 'proposal', data: hex }], id: 1 });
      await check(ours, body, round >= 0);
      if (theirs !== null) await check(theirs, body, round >= 0);
      const request = postRequest(node.daemon.auth, body);
      const sent = await runLoop(load, { port: bare.port, request, connections: 1, seconds: 0.05 });
      if (round >= 0) limits.push(...sent.times.slice(0, 1));
    }
    bare.end();
    load.end();
    await node.end();
    await core?.end();
    const sides = theirs === null ? [ours] : [ours, theirs];
    const cases = sides.map(({ name, times }): BenchCase => {
      const title = `${name}: proposal of ${template.transactions.length} known transactions`;
      return { name: title, unit: 'ms', better: 'lower', samples: times, limit: { name: LIMIT, samples: limits } };
    });
    const notes = ['hex of the whole block over HTTP, one at a time', ...sides.map(threadLine)];
    if (theirs !== null) {
      const ratio = (share: number): string => (percentile(ours.times, share) / percentile(theirs.times, share)).toFixed(2);
      notes.push(`adit over Bitcoin Core: p50 ${ratio(0.5)}, p99 ${ratio(0.99)}`);
    }
    return { cases, notes };
  },
});
