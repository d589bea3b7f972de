// sendrawtransaction in batches against a real daemon over HTTP: one-input signed payments of coins in blocks, beside
// the bare curve checks of the same run.
//
//   node build/bench/mempool-accept.js [--json]      ROUNDS=n BATCH=n
import http from 'node:http';
import os from 'node:os';
import { Daemon } from '../test/framework/daemon.js';
import { mine } from '../test/framework/miner.js';
import { type Kind, MiniWallet, type Spendable } from '../test/framework/mini-wallet.js';
import { BareChecks } from './harness/bare-checks.js';
import { runBench } from './harness/bench.js';
import { timeInTurn } from './harness/samples.js';

const ROUNDS = Number(process.env.ROUNDS ?? 6);
const WARMUP = 1;
/** Payments of one round, and of one batch in it. */
const PAYMENTS = 2_000;
const BATCH = Number(process.env.BATCH ?? 1_000);
/** A standard transaction holds a little more than this many p2wpkh outputs. */
const OUTPUTS_PER_SPLIT = 3_000;
const GOAL_PER_SECOND = 13_000;
const threads = os.availableParallelism();

/** Confirmed coins, as many as asked for. */
async function fund(node: Daemon, wallet: MiniWallet, count: number): Promise<Spendable[]> {
  const splits = Math.ceil(count / OUTPUTS_PER_SPLIT);
  const mineOne = async (): Promise<Spendable> => {
    const block = mine(await node.call('getblocktemplate', { rules: ['segwit'] }), 'p2wpkh', wallet.key());
    if ((await node.call('submitblock', block.hex)) !== null) throw new Error('a block was refused');
    return block.coinbase;
  };
  const rewards: Spendable[] = [];
  for (let i = 0; i < splits + 100; i++) rewards.push(await mineOne());
  const coins: Spendable[] = [];
  for (const reward of rewards.slice(0, splits)) {
    const split = wallet.spend([reward], new Array<Kind>(OUTPUTS_PER_SPLIT).fill('p2wpkh'), 1_000_000);
    await node.call('sendrawtransaction', split.hex, 0);
    coins.push(...split.outputs);
  }
  // The five-second rule: the next template shall see the splits.
  await node.call('setmocktime', Math.floor(Date.now() / 1000) + 10);
  await mineOne();
  await node.call('setmocktime', 0);
  if ((await node.call('getmempoolinfo')).size !== 0) throw new Error('the coins did not fit one block');
  return coins;
}

await runBench({
  name: 'mempool/accept',
  protects: 'how fast a pool operator or explorer can hand over transactions',
  run: async () => {
    const node = await Daemon.start('-maxmempool=1000', `-par=${threads}`, '-fronts=1');
    const bare = new BareChecks(PAYMENTS, { threads, prefer: 'system' });
    await bare.start();
    const wallet = new MiniWallet();
    const coins = await fund(node, wallet, PAYMENTS * (ROUNDS + WARMUP));
    const agent = new http.Agent({ keepAlive: true });
    let next = 0;
    const bodies: string[] = coins.map((coin, id) => {
      const { hex } = wallet.spend([coin], ['p2wpkh'], 2_000 + (id % 500));
      return JSON.stringify({ method: 'sendrawtransaction', params: [hex], id });
    });
    const sendAll = async (): Promise<void> => {
      const end = next + PAYMENTS;
      while (next < end) {
        const count = Math.min(BATCH, end - next);
        const { body } = await node.post(`[${bodies.slice(next, next + count).join(',')}]`, { agent });
        if (body.split('"error":null').length !== count + 1) throw new Error(`refused: ${body.slice(0, 300)}`);
        next += count;
      }
    };
    const samples = await timeInTurn({ send: sendAll, bare: () => bare.run('ecdsa') }, { warmup: WARMUP, rounds: ROUNDS });
    const perSecond = (ms: number): number => (PAYMENTS * 1_000) / ms;
    agent.destroy();
    await Promise.all([node.remove(), bare.close()]);
    return {
      cases: [
        {
          name: `one p2wpkh input, batches of ${BATCH}`,
          unit: 'tx/s',
          better: 'higher',
          samples: samples.send.map(perSecond),
          limit: { name: bare.name, samples: samples.bare.map(perSecond) },
          goal: { text: `over ${GOAL_PER_SECOND.toLocaleString('en-US')}`, reached: (p50: number) => p50 > GOAL_PER_SECOND },
        },
      ],
      notes: [`${threads} script threads; client, front, node and script threads share ${os.availableParallelism()} cores`],
    };
  },
});
