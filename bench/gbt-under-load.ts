// getblocktemplate while the node is busy: four pollers, ten times a second each, against a node in mode `live` that connects full blocks, takes
// them back, writes its coins and counts all of them (gettxoutsetinfo) without pause. First the same pollers on the idle node.
//
//   node build/bench/gbt-under-load.js [--json]      SECONDS=20 TXS=4400
import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { mine } from '../test/framework/miner.js';
import { MiniWallet } from '../test/framework/mini-wallet.js';
import { runBench } from './harness/bench.js';
import { FilledNode, TEMPLATE_CALL } from './http-load/filled-node.js';

const SECONDS = Number(process.env.SECONDS ?? 20);
const TXS = Number(process.env.TXS ?? 4400);
const POLLERS = 4;
const PAUSE_MS = 100;

/** Polls until told to stop; milliseconds from the request to the last byte. */
async function poll(node: FilledNode, stop: { readonly asked: boolean }): Promise<number[]> {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  const times: number[] = [];
  while (!stop.asked) {
    const sent = performance.now();
    const { status } = await node.daemon.post(TEMPLATE_CALL, { agent });
    times.push(performance.now() - sent);
    if (status !== 200) throw new Error(`HTTP ${status}`);
    await sleep(PAUSE_MS);
  }
  agent.destroy();
  return times;
}

async function during(node: FilledNode, work: () => Promise<void>): Promise<number[]> {
  const stop = { asked: false };
  const polling = Promise.all(Array.from({ length: POLLERS }, () => poll(node, stop)));
  try {
    await work();
  } finally {
    stop.asked = true;
  }
  return (await polling).flat();
}

await runBench({
  name: 'template/view',
  protects: 'pollers from whatever else the node does',
  async run() {
    const node = await FilledNode.start(TXS, '-templatemode=live');
    const wallet = new MiniWallet();
    const idle = await during(node, () => sleep((SECONDS * 1000) / 2));
    let blocks = 0;
    let counts = 0;
    const busy = await during(node, async () => {
      const end = Date.now() + SECONDS * 1000;
      const counting = (async () => {
        for (; Date.now() < end; counts++) await node.daemon.call('gettxoutsetinfo');
      })();
      while (Date.now() < end) {
        let template = await node.template();
        // The empty one goes first; this block is to be full.
        while (template.transactions.length < TXS * 0.9 && Date.now() < end) {
          await sleep(20);
          template = await node.template();
        }
        const block = mine(template, 'p2wpkh', wallet.key());
        const verdict = await node.daemon.call('submitblock', block.hex);
        if (verdict !== null) throw new Error(`refused: ${verdict}`);
        blocks++;
        await node.daemon.call('invalidateblock', await node.daemon.call('getbestblockhash'));
      }
      await counting;
    });
    await node.end();
    return {
      notes: [`${blocks} blocks of ${TXS} transactions connected and taken back, all coins counted ${counts} times, in ${SECONDS} s`],
      cases: [
        { name: `${POLLERS} pollers, idle node`, unit: 'ms', samples: idle, better: 'lower' },
        {
          name: `${POLLERS} pollers, busy node`,
          unit: 'ms',
          samples: busy,
          better: 'lower',
          goal: { text: 'p99 <= 10 ms', reached: () => [...busy].sort((a, b) => a - b)[Math.floor(busy.length * 0.99)] <= 10 },
        },
      ],
    };
  },
});
