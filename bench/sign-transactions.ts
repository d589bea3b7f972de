// Measures signrawtransactionwithwallet: one transaction of 1,000 inputs, as payout wallets make when they consolidate
// coins, and transactions of two inputs over eight connections. Also measures how long other calls wait meanwhile.
//
//   node build/bench/sign-transactions.js [--json]      ROUNDS=n
//   COMPARE=/path/to/bitcoind has that sign the same, in turn
import { Daemon } from '../test/framework/daemon.js';
import { BareSigning } from './harness/bare-signing.js';
import { type BenchCase, runBench } from './harness/bench.js';
import { bitcoindToCompare, CoreDaemon } from './harness/core-daemon.js';
import { type Child, postRequest, runLoop, startLoad, startPolling } from './http-load/load.js';

const ROUNDS = Number(process.env.ROUNDS ?? 10);
const INPUTS = 1000;
const CONNECTIONS = 8;
const THREADS = 2;
/** Number of transactions that are not counted. V8 compiles code during these, and they take twice as long. */
const WARMUP = { large: 10, small: 3 };

interface Coin {
  readonly txid: string;
  readonly vout: number;
}

/** Gives a wallet this number of coins and returns them. */
async function fund(daemon: Daemon | CoreDaemon): Promise<Coin[]> {
  // Set the time before the wallet is created. Core's wallets do not search blocks that are older than the wallet.
  await daemon.call('setmocktime', 1_700_000_000);
  await daemon.call('createwallet', 'w');
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

/** A node with a wallet that signs, and its figures. */
class Signing {
  /** Milliseconds of the large transaction, and of the slowest other call meanwhile. */
  readonly large: number[] = [];
  readonly waits: number[] = [];
  /** Small transactions per second. */
  readonly small: number[] = [];
  #body = '';
  readonly #smallBodies: string[] = [];

  constructor(readonly daemon: Daemon | CoreDaemon) {}

  async prepare(): Promise<void> {
    const { daemon } = this;
    const coins = await fund(daemon);
    const target = await daemon.call('getnewaddress');
    const bodyOf = async (inputs: readonly Coin[], amount: number): Promise<string> => {
      const raw = await daemon.call('createrawtransaction', inputs, [{ [target]: amount }]);
      return JSON.stringify({ id: 1, method: 'signrawtransactionwithwallet', params: [raw] });
    };
    this.#body = await bodyOf(coins, 39.9);
    for (let i = 0; i < 16; i++) this.#smallBodies.push(await bodyOf(coins.slice(2 * i, 2 * i + 2), 0.07));
  }

  async signLarge(poller: Child, round: number): Promise<void> {
    const { port, auth } = this.daemon;
    const other = postRequest(auth, '{"method":"getmempoolinfo","params":[],"id":1}');
    const polling = startPolling(poller, { port, request: other, connections: 1, pauseMs: 1 });
    const start = performance.now();
    const reply = JSON.parse((await this.daemon.post(this.#body)).body);
    const took = performance.now() - start;
    const times = await polling.stop();
    if (reply.result?.complete !== true) throw new Error(`not signed: ${JSON.stringify(reply).slice(0, 200)}`);
    if (round < 0) return;
    this.large.push(took);
    this.waits.push(Math.max(...times));
  }

  async signSmall(load: Child, round: number): Promise<void> {
    const { port, auth } = this.daemon;
    const request = postRequest(auth, this.#smallBodies[Math.max(round, 0) % this.#smallBodies.length]!);
    const { calls, seconds } = await runLoop(load, { request, connections: CONNECTIONS, seconds: 1, port });
    if (round >= 0) this.small.push(calls / seconds);
  }
}

await runBench({
  name: 'parallel/pooled-signer',
  protects: 'how long payouts take to sign, and that nobody waits for it',
  async run() {
    const keypool = `-keypool=${INPUTS + 10}`;
    const own = new Signing(await Daemon.start('-fronts=1', keypool, `-par=${THREADS}`));
    const program = bitcoindToCompare();
    const core = program === null ? null : await CoreDaemon.start(program, keypool);
    const theirs = core === null ? null : new Signing(core);
    const load = await startLoad();
    const poller = await startLoad();
    const bare = new BareSigning(THREADS);
    const cases: BenchCase[] = [];
    try {
      await bare.start();
      await own.prepare();
      await theirs?.prepare();
      const largeLimit: number[] = [];
      for (let round = -WARMUP.large; round < ROUNDS; round++) {
        await own.signLarge(poller, round);
        const limit = await bare.run(INPUTS);
        if (round >= 0) largeLimit.push(limit);
        await theirs?.signLarge(poller, round);
      }
      const smallLimit: number[] = [];
      for (let round = -WARMUP.small; round < ROUNDS; round++) {
        await own.signSmall(load, round);
        const limitMs = await bare.run(4000);
        if (round >= 0) smallLimit.push(4000 / 2 / (limitMs / 1000));
        await theirs?.signSmall(load, round);
      }
      const large = `sign-1000-inputs: one transaction of ${INPUTS} p2wpkh inputs`;
      const waits = 'the slowest other call meanwhile';
      const small = `sign-small: transactions of 2 p2wpkh inputs, ${CONNECTIONS} connections`;
      cases.push(
        {
          name: large,
          unit: 'ms',
          better: 'lower',
          samples: own.large,
          limit: { name: `${INPUTS} low-R signatures, each checked, on ${THREADS} threads`, samples: largeLimit },
          goal: { text: '<= 70 ms', reached: (p50) => p50 <= 70 },
        },
        { name: waits, unit: 'ms', better: 'lower', samples: own.waits },
        {
          name: small,
          unit: 'calls/s',
          better: 'higher',
          samples: own.small,
          limit: { name: `two low-R signatures, each checked, on ${THREADS} threads`, samples: smallLimit },
          goal: { text: '> 5,000', reached: (p50) => p50 > 5000 },
        },
      );
      if (theirs !== null) {
        cases.push(
          { name: `bitcoind: ${large}`, unit: 'ms', better: 'lower', samples: theirs.large },
          { name: `bitcoind: ${waits}`, unit: 'ms', better: 'lower', samples: theirs.waits },
          { name: `bitcoind: ${small}`, unit: 'calls/s', better: 'higher', samples: theirs.small },
        );
      }
    } finally {
      load.end();
      poller.end();
      await bare.close();
      await core?.end();
      await (own.daemon as Daemon).remove();
    }
    return { cases };
  },
});
