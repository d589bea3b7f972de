// Measures getblocktemplate with a full mempool: replies per second to four clients, the time of one reply, and the
// time from a new block to the first new template. During every millisecond of that time miners work on the wrong
// block.
//
//   node build/bench/template-rpc.js [--json]      TXS=n transactions in the mempool
//   FRONTS=n, ROUNDS=n, OPTIONS=-templatemode=core CHECKED=1
//   COMPARE=/path/to/bitcoind asks that for the same, in turn
import { type BenchCase, runBench } from './harness/bench.js';
import { bitcoindToCompare, CoreDaemon } from './harness/core-daemon.js';
import { percentile } from './harness/samples.js';
import { FilledNode, TEMPLATE_CALL } from './http-load/filled-node.js';
import { postRequest, runLoop, startBare, startLoad } from './http-load/load.js';

const TXS = Number(process.env.TXS ?? 4_407);
const ROUNDS = Number(process.env.ROUNDS ?? 6);
const BLOCKS = Number(process.env.BLOCKS ?? 20);
const fronts = Number(process.env.FRONTS ?? 1);
// -checktemplates. 0, the default: one template per tip is checked after its publication. 1: each template is checked
// before its publication.
const checked = Number(process.env.CHECKED ?? 0);
const LIMIT = 'a bare uWebSockets.js handler sending the same bytes';

/** A server with its figures. */
class Served {
  readonly rates: number[] = [];
  readonly times: number[] = [];
  /** Milliseconds from a block to the template on top of it. */
  readonly fresh: number[] = [];

  constructor(
    readonly port: number,
    readonly request: string,
  ) {}

  /** Submits a block and requests the next template. @returns the time of the submission */
  async take(block: { hex: string; hashHex: string }, post: (body: string) => Promise<{ body: string }>): Promise<number> {
    const begun = performance.now();
    await post(JSON.stringify({ method: 'submitblock', params: [block.hex], id: 1 }));
    const next = await post(TEMPLATE_CALL);
    this.fresh.push(performance.now() - begun);
    if (!next.body.includes(`"previousblockhash":"${block.hashHex}"`)) throw new Error('the template is not on the new block');
    return begun;
  }
}

await runBench({
  name: 'template/view',
  protects: 'what a pool waits for when it asks for work',
  async run() {
    const node = await FilledNode.start(TXS, `-fronts=${fronts}`, `-checktemplates=${checked}`);
    const load = await startLoad();
    const reply = await node.post(TEMPLATE_CALL);
    const listed = JSON.parse(reply.body).result.transactions.length;
    const bare = await startBare(Buffer.from(reply.body));
    const request = postRequest(node.daemon.auth, TEMPLATE_CALL);
    const program = bitcoindToCompare();
    const core = program === null ? null : await CoreDaemon.start(program, '-maxmempool=300');
    await core?.copy(node.daemon);
    const own = new Served(node.daemon.port, request);
    const limit = new Served(bare.port, request);
    const theirs = core === null ? null : new Served(core.port, postRequest(core.auth, TEMPLATE_CALL));
    for (let round = -1; round < ROUNDS; round++) {
      for (const { port, request, rates, times } of [own, limit, theirs].filter((one) => one !== null)) {
        const four = await runLoop(load, { port, request, connections: 4, seconds: 1.5 });
        const one = await runLoop(load, { port, request, connections: 1, seconds: 1 });
        if (round < 0) continue;
        rates.push(four.calls / four.seconds);
        times.push(percentile(one.times, 0.5));
      }
    }
    bare.end();

    const full: number[] = [];
    for (let i = 0; i < BLOCKS; i++) {
      const block = await node.emptyBlock();
      const begun = await own.take(block, (body) => node.post(body));
      if (node.live) {
        await node.fullTemplate(listed);
        full.push(performance.now() - begun);
      }
      await theirs?.take(block, (body) => core!.post(body));
    }
    load.end();
    await core?.end();
    await node.end();

    const cases: BenchCase[] = [
      {
        name: '4 connections',
        unit: 'replies/s',
        better: 'higher',
        samples: own.rates,
        limit: { name: LIMIT, samples: limit.rates },
        goal: { text: '>= 75 % of the limit', reached: (_, ratio) => ratio !== null && ratio >= 0.75 },
      },
      {
        name: 'one at a time',
        unit: 'ms',
        better: 'lower',
        samples: own.times,
        limit: { name: LIMIT, samples: limit.times },
        goal: { text: '<= 1.5 x the limit', reached: (_, ratio) => ratio !== null && ratio <= 1.5 },
      },
      {
        name: 'empty block to first new template',
        unit: 'ms',
        better: 'lower',
        samples: own.fresh,
        goal: { text: '<= 10', reached: (p50) => p50 <= 10 },
      },
    ];
    if (theirs !== null) {
      cases.push(
        { name: 'bitcoind: 4 connections', unit: 'replies/s', better: 'higher', samples: theirs.rates },
        { name: 'bitcoind: one at a time', unit: 'ms', better: 'lower', samples: theirs.times },
        { name: 'bitcoind: empty block to first new template', unit: 'ms', better: 'lower', samples: theirs.fresh },
      );
    }
    if (node.live) cases.push({ name: 'the same to the full template, looked for every 5 ms', unit: 'ms', better: 'lower', samples: full });
    return {
      cases,
      notes: [`${listed} transactions, ${(reply.body.length / 1e6).toFixed(2)} MB a reply, ${fronts} front(s), -checktemplates=${checked}`],
    };
  },
});
