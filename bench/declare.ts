// Measures the check of a declared job's block without proof of work, while its transactions are in the mempool. A job
// declarator waits for this check. The block is checked by wtxids (checkdeclaredblock), with one list of transactions
// and a new coinbase each time, and with a new list each time; and as a whole block (getblocktemplate, mode proposal).
// Scripts that ran for the mempool must not run again.
//
//   node build/bench/declare.js [--json]      TXS=n transactions, ROUNDS=n, COMPARE=/path/to/bitcoind
import { setTimeout as sleep } from 'node:timers/promises';
import { testKey } from '../test/framework/keys.js';
import { commitmentOf, mine, type Template } from '../test/framework/miner.js';
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

/** A node that answers calls. The processor time of its process is read from /proc. */
interface Side {
  readonly name: string;
  readonly pid: number;
  readonly times: number[];
  /** Milliseconds by thread over all rounds. */
  readonly threads: Map<string, number>;
  post(body: string): Promise<{ body: string }>;
}

/** Sends a call that must find the block valid. Measures its time, and the processor time of each thread for it. */
async function check(side: Side, body: string, counts: boolean): Promise<void> {
  const before = threadMilliseconds(side.pid);
  const begun = performance.now();
  const reply = JSON.parse((await side.post(body)).body);
  const took = performance.now() - begun;
  if ((reply.result !== null && reply.result.valid !== true) || reply.error !== null)
    throw new Error(`${side.name}: refused: ${JSON.stringify(reply)}`);
  if (!counts) return;
  side.times.push(took);
  // Memory that the node frees after its reply counts as part of the call.
  await sleep(20);
  for (const [name, ms] of threadsSince(side.pid, before)) side.threads.set(name, (side.threads.get(name) ?? 0) + ms);
}

/** Returns a line such as "node 12.3, verify 4.0": processor milliseconds of each thread for one call. */
function threadLine({ name, threads }: Side): string {
  const each = [...threads].sort((a, b) => b[1] - a[1]).map(([thread, ms]) => `${thread} ${(ms / ROUNDS).toFixed(1)}`);
  return `processor ms of a call, ${name}: ${each.join(', ') || 'below 0.1'}`;
}

/** Returns the template without one of the transactions that no other one spends. */
function without(template: Template, leave: number): Template {
  const leaves = template.transactions
    .map((_, i) => i)
    .filter((i) => !template.transactions.some(({ depends }) => depends.includes(i + 1)));
  const gone = leaves[leave % leaves.length]!;
  const renumbered = (place: number): number => (place > gone + 1 ? place - 1 : place);
  const transactions = template.transactions.filter((_, i) => i !== gone).map((tx) => ({ ...tx, depends: tx.depends.map(renumbered) }));
  const shorter = { ...template, transactions, coinbasevalue: template.coinbasevalue - template.transactions[gone]!.fee };
  return { ...shorter, default_witness_commitment: commitmentOf(shorter) };
}

const call = (method: string, ...params: unknown[]): string => JSON.stringify({ method, params, id: 1 });

/** Returns the calls that check a block of the template with a new coinbase: as a proposal, and by wtxids. */
function bodies(template: Template): { proposal: string; declared: string } {
  const { hex } = mine(template, 'p2wpkh', testKey(1));
  const wtxids = template.transactions.map(({ hash }) => hash);
  // The coinbase is between the transaction count after the header and the other transactions.
  const behind = template.transactions.reduce((sum, { data }) => sum + data.length, 0);
  const count = wtxids.length + 1 < 253 ? 2 : 6;
  const coinbase = hex.slice(160 + count, hex.length - behind);
  return {
    proposal: call('getblocktemplate', { mode: 'proposal', data: hex }),
    declared: call('checkdeclaredblock', hex.slice(0, 160), coinbase, wtxids),
  };
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
    const template: Template = JSON.parse((await node.post(TEMPLATE_CALL)).body).result;
    const side = (name: string, pid: number, post: Side['post']): Side => ({ name, pid, post, times: [], threads: new Map() });
    const ours = (name: string): Side => side(name, node.daemon.child!.pid!, (body) => node.post(body));
    const again = ours('by wtxids, the same again');
    const fresh = ours('by wtxids, others each time');
    const whole = ours('proposal');
    const theirs = core === null ? null : side("Bitcoin Core's proposal", core.pid, (body) => core.post(body));
    const limits: number[] = [];
    for (let round = -WARMUP; round < ROUNDS; round++) {
      const counts = round >= 0;
      // Use a new coinbase each time, so that the node has no cached result for the whole block.
      const { proposal, declared } = bodies(template);
      await check(fresh, bodies(without(template, round + WARMUP)).declared, counts);
      await check(whole, proposal, counts);
      await check(again, declared, counts);
      if (theirs !== null) await check(theirs, proposal, counts);
      const request = postRequest(node.daemon.auth, proposal);
      const sent = await runLoop(load, { port: bare.port, request, connections: 1, seconds: 0.05 });
      if (counts) limits.push(...sent.times.slice(0, 1));
    }
    bare.end();
    load.end();
    await node.end();
    await core?.end();
    const sides = [again, fresh, whole, ...(theirs === null ? [] : [theirs])];
    const cases = sides.map(({ name, times }): BenchCase => {
      return { name, unit: 'ms', better: 'lower', samples: times, limit: { name: LIMIT, samples: limits } };
    });
    const notes = [`${template.transactions.length} known transactions over HTTP, one call at a time`, ...sides.map(threadLine)];
    if (theirs !== null) {
      const ratio = ({ times }: Side, share: number): string => (percentile(times, share) / percentile(theirs.times, share)).toFixed(2);
      for (const one of [again, fresh, whole])
        notes.push(`${one.name}, over ${theirs.name}: p50 ${ratio(one, 0.5)}, p99 ${ratio(one, 0.99)}`);
    }
    return { cases, notes };
  },
});
