// Measures submitblock while other clients keep the node thread busy with heavy batches. A found block must not wait
// for another client's report.
//
//   node build/bench/submit-under-load.js [--json]      ROUNDS=n FRONTS=n
import http from 'node:http';
import { type BenchCase, runBench } from './harness/bench.js';
import { FilledNode } from './http-load/filled-node.js';
import { postRequest, runLoop, startLoad } from './http-load/load.js';

const ROUNDS = Number(process.env.ROUNDS ?? 40);
const fronts = Number(process.env.FRONTS ?? 1);
const CLIENTS = 4;
const ENTRIES = 50;

await runBench({
  name: 'link',
  protects: 'a solved block from the queue of calls that may wait',
  async run() {
    const node = await FilledNode.start(400, `-fronts=${fronts}`);
    const agent = new http.Agent({ keepAlive: true });
    // A batch of calls for whole decoded blocks: the 400 payments of the last block and the transactions that they
    // spend.
    const tip: string = await node.daemon.call('getbestblockhash');
    const entry = { method: 'getblock', params: [tip, 2], id: 1 };
    const batch = JSON.stringify(new Array(ENTRIES).fill(entry));
    const begun = performance.now();
    await node.post(batch);
    const batchMs = performance.now() - begun;

    const timeSubmit = async (): Promise<number> => {
      const block = await node.emptyBlock();
      const submit = JSON.stringify({ method: 'submitblock', params: [block.hex], id: 1 });
      const sent = performance.now();
      const reply = await node.daemon.post(submit, { agent });
      const ms = performance.now() - sent;
      if (JSON.parse(reply.body).result !== null) throw new Error(`refused: ${reply.body}`);
      return ms;
    };
    const timeOther = async (): Promise<number> => {
      const sent = performance.now();
      await node.daemon.post('{"method":"getmempoolinfo","id":1}', { agent });
      return performance.now() - sent;
    };

    const idle: number[] = [];
    for (let i = 0; i < ROUNDS + 5; i++) {
      const ms = await timeSubmit();
      if (i >= 5) idle.push(ms);
    }
    const load = await startLoad();
    const order = { port: node.daemon.port, request: postRequest(node.daemon.auth, batch), connections: CLIENTS, seconds: 3600 };
    const busy: number[] = [];
    const other: number[] = [];
    const running = runLoop(load, order).catch(() => null);
    await new Promise((resolve) => setTimeout(resolve, 500));
    for (let i = 0; i < ROUNDS; i++) {
      busy.push(await timeSubmit());
      other.push(await timeOther());
    }
    load.end();
    await running;
    agent.destroy();
    await node.end();
    const cases: BenchCase[] = [
      {
        name: 'submitblock behind batches',
        unit: 'ms',
        better: 'lower',
        samples: busy,
        limit: { name: 'the same submission to an idle node', samples: idle },
      },
      {
        name: 'an ordinary call of the node thread behind them',
        unit: 'ms',
        better: 'lower',
        samples: other,
      },
    ];
    return {
      cases,
      notes: [`${CLIENTS} clients with batches of ${ENTRIES} x getblock 2, ${batchMs.toFixed(0)} ms each alone; ${fronts} front(s)`],
    };
  },
});
