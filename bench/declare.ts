// A declared job's block checked without proof of work (getblocktemplate, mode proposal) while its transactions are in the mempool: what a
// job declarator waits for. Scripts that ran for the mempool must not run again.
//
//   node build/bench/declare.js [--json]      TXS=n transactions, ROUNDS=n
import { testKey } from '../test/framework/keys.js';
import { mine } from '../test/framework/miner.js';
import { runBench } from './harness/bench.js';
import { FilledNode, TEMPLATE_CALL } from './http-load/filled-node.js';
import { postRequest, runLoop, startBare, startLoad } from './http-load/load.js';

const TXS = Number(process.env.TXS ?? 4_407);
const ROUNDS = Number(process.env.ROUNDS ?? 40);
const LIMIT = 'a bare uWebSockets.js handler taking the same bytes';

await runBench({
  name: 'declare',
  protects: 'how soon a declared job is accepted',
  async run() {
    const node = await FilledNode.start(TXS);
    const load = await startLoad();
    const bare = await startBare(Buffer.from('null'));
    const template = JSON.parse((await node.post(TEMPLATE_CALL)).body).result;
    const times: number[] = [];
    const limits: number[] = [];
    for (let round = -3; round < ROUNDS; round++) {
      // Another coinbase each time: nothing is remembered of the block as a whole.
      const { hex } = mine(template, 'p2wpkh', testKey(1));
      const body = JSON.stringify({ method: 'getblocktemplate', params: [{ mode: 'proposal', data: hex }], id: 1 });
      const begun = performance.now();
      const reply = JSON.parse((await node.post(body)).body);
      const took = performance.now() - begun;
      if (reply.result !== null || reply.error !== null) throw new Error(`the proposal was refused: ${JSON.stringify(reply)}`);
      const request = postRequest(node.daemon.auth, body);
      const sent = await runLoop(load, { port: bare.port, request, connections: 1, seconds: 0.05 });
      if (round < 0) continue;
      times.push(took);
      limits.push(...sent.times.slice(0, 1));
    }
    bare.end();
    load.end();
    await node.end();
    const name = `proposal of ${template.transactions.length} known transactions`;
    return {
      cases: [{ name, unit: 'ms', better: 'lower', samples: times, limit: { name: LIMIT, samples: limits } }],
      notes: ['hex of the whole block over HTTP, one at a time'],
    };
  },
});
