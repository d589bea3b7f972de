// signrawtransactionwithwallet: one transaction of 1,000 inputs, as payout wallets make when they gather coins, and
// transactions of two inputs over eight connections, with the time that other calls wait meanwhile.
//
//   node build/bench/sign-transactions.js [--json]      ROUNDS=n
import { Daemon } from '../test/framework/daemon.js';
import { BareSigning } from './harness/bare-signing.js';
import { type BenchCase, runBench } from './harness/bench.js';
import { postRequest, runLoop, startLoad, startPolling } from './http-load/load.js';

const ROUNDS = Number(process.env.ROUNDS ?? 10);
const INPUTS = 1000;
const CONNECTIONS = 8;
const THREADS = 2;

interface Coin {
  readonly txid: string;
  readonly vout: number;
}

/** Gives a wallet so many coins of its own and returns them. */
async function fund(daemon: Daemon): Promise<Coin[]> {
  await daemon.call('setmocktime', 1_700_000_000);
  const miner = await daemon.call('getnewaddress', '', 'bech32');
  await daemon.call('generatetoaddress', 101, miner);
  const [coin] = await daemon.call('listunspent');
  const outputs: Record<string, number>[] = [];
  for (let i = 0; i < INPUTS; i++) outputs.push({ [await daemon.call('getnewaddress', '', 'bech32')]: 0.04 });
  const raw = await daemon.call('createrawtransaction', [{ txid: coin.txid, vout: coin.vout }], outputs);
  const { hex } = await daemon.call('signrawtransactionwithwallet', raw);
  const txid = await daemon.call('sendrawtransaction', hex, 0);
  await daemon.call('generatetoaddress', 1, miner);
  return outputs.map((_, vout) => ({ txid, vout }));
}

await runBench({
  name: 'parallel/pooled-signer',
  protects: 'how long payouts take to sign, and that nobody waits for it',
  async run() {
    const daemon = await Daemon.start('-fronts=1', `-keypool=${INPUTS + 10}`, `-par=${THREADS}`);
    const load = await startLoad();
    const poller = await startLoad();
    const bare = new BareSigning(THREADS);
    const cases: BenchCase[] = [];
    try {
      await bare.start();
      await daemon.call('createwallet', 'w');
      const coins = await fund(daemon);
      const target = await daemon.call('getnewaddress');
      const raw = await daemon.call('createrawtransaction', coins, [{ [target]: 39.9 }]);
      const body = JSON.stringify({ id: 1, method: 'signrawtransactionwithwallet', params: [raw] });
      const large: number[] = [];
      const largeLimit: number[] = [];
      const waits: number[] = [];
      for (let round = -2; round < ROUNDS; round++) {
        const other = postRequest(daemon.auth, '{"method":"getmempoolinfo","params":[],"id":1}');
        const polling = startPolling(poller, { port: daemon.port, request: other, connections: 1, pauseMs: 1 });
        const start = performance.now();
        const reply = JSON.parse((await daemon.post(body)).body);
        const took = performance.now() - start;
        const times = await polling.stop();
        if (reply.result?.complete !== true) throw new Error(`not signed: ${JSON.stringify(reply).slice(0, 200)}`);
        const limit = await bare.run(INPUTS, true);
        if (round < 0) continue;
        large.push(took);
        largeLimit.push(limit);
        waits.push(Math.max(...times));
      }
      cases.push({
        name: `sign-1000-inputs: one transaction of ${INPUTS} p2wpkh inputs`,
        unit: 'ms',
        better: 'lower',
        samples: large,
        limit: { name: `${INPUTS} low-R signatures, each checked, on ${THREADS} threads`, samples: largeLimit },
        goal: { text: '<= 70 ms', reached: (p50) => p50 <= 70 },
      });
      cases.push({ name: 'the slowest other call meanwhile', unit: 'ms', better: 'lower', samples: waits });
      const bodies = Array.from({ length: 16 }, (_, i) => coins.slice(2 * i, 2 * i + 2));
      const small: number[] = [];
      const smallLimit: number[] = [];
      for (let round = -1; round < ROUNDS; round++) {
        const inputs = bodies[Math.max(round, 0) % bodies.length];
        const unsigned = await daemon.call('createrawtransaction', inputs, [{ [target]: 0.07 }]);
        const call = JSON.stringify({ id: 1, method: 'signrawtransactionwithwallet', params: [unsigned] });
        const request = postRequest(daemon.auth, call);
        const result = await runLoop(load, { request, connections: CONNECTIONS, seconds: 1, port: daemon.port });
        const limitMs = await bare.run(4000, false);
        if (round < 0) continue;
        small.push(result.calls / result.seconds);
        smallLimit.push(4000 / 2 / (limitMs / 1000));
      }
      cases.push({
        name: `sign-small: transactions of 2 p2wpkh inputs, ${CONNECTIONS} connections`,
        unit: 'calls/s',
        better: 'higher',
        samples: small,
        limit: { name: `two low-R signatures, on ${THREADS} threads`, samples: smallLimit },
        goal: { text: '> 5,000', reached: (p50) => p50 > 5000 },
      });
    } finally {
      load.end();
      poller.end();
      await bare.close();
      await daemon.remove();
    }
    return { cases };
  },
});
