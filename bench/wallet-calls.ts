// The calls that exchanges and pools make of a wallet all day, on a wallet with 20,000 payments to 1,000 addresses.
//
//   node build/bench/wallet-calls.js [--json]      ROUNDS=n
//   COMPARE=/path/to/bitcoind does the same in turn; it has descriptor wallets alone, and imports as many descriptors.
//   It waits for the disk after each payment that it finds: without that switched off a round takes ten minutes
import { createHash } from 'node:crypto';
import { addChecksum } from '../src/address/descriptor/checksum.js';
import { createNativeCrypto } from '../src/crypto/native/index.js';
import { createKeyMath } from '../src/crypto/native/key-math.js';
import { keyHashProgram } from '../src/wallet/keys/key-table.js';
import { Daemon } from '../test/framework/daemon.js';
import { type BenchCase, runBench } from './harness/bench.js';
import { bitcoindToCompare, CoreDaemon } from './harness/core-daemon.js';
import { timeMs } from './harness/samples.js';
import { chainOfPayments, feed } from './harness/wallet-chain.js';
import { type Child, postRequest, runLoop, startLoad } from './http-load/load.js';

const ROUNDS = Number(process.env.ROUNDS ?? 5);
const PAYMENTS = 20_000;
const KEYS = 1_000;
const CONNECTIONS = 16;
const SECONDS = 1;

const crypto = createNativeCrypto();
const math = createKeyMath();
const publicKeys = (tag: string): Uint8Array[] =>
  Array.from(
    { length: KEYS },
    (_, i) => math.publicKey(new Uint8Array(createHash('sha256').update(`${tag} ${i}`).digest()), true) as Uint8Array,
  );
const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const programOf = (key: Uint8Array): Uint8Array => keyHashProgram(crypto.hash160(key));
/** How a node imports public keys into a wallet that watches. */
const IMPORTS = {
  adit: (keys: readonly Uint8Array[]): readonly [string, ...unknown[]] => [
    'importmulti',
    keys.map((key) => ({
      scriptPubKey: hexOf(programOf(key)),
      pubkeys: [hexOf(key)],
      timestamp: 0,
      internal: true,
      watchonly: true,
    })),
    { rescan: false },
  ],
  core: (keys: readonly Uint8Array[]): readonly [string, ...unknown[]] => [
    'importdescriptors',
    keys.map((key) => ({ desc: addChecksum(`wpkh(${hexOf(key)})`), timestamp: 'now' })),
  ],
};

/** Calls over 16 connections, with the rate per second that each should reach. */
const RATED = [
  ['getaddressinfo', 40_000],
  ['getbalance', 0],
  ['gettransaction', 40_000],
  ['listsinceblock', 30_000],
] as const;
type Rated = (typeof RATED)[number][0];

/** A node with wallets, and its figures. */
class Asked {
  readonly importing: number[] = [];
  readonly matching: number[] = [];
  readonly missing: number[] = [];
  readonly first: number[] = [];
  readonly trivial: number[] = [];
  readonly listing: number[] = [];
  readonly one: number[] = [];
  readonly history: number[] = [];
  readonly rates: Record<Rated, number[]> = { getaddressinfo: [], getbalance: [], gettransaction: [], listsinceblock: [] };
  /** Addresses of the wallet whose history is listed. */
  #addresses: string[] = [];
  /** Txid of one payment of that wallet. */
  #txid = '';

  constructor(
    readonly node: Daemon | CoreDaemon,
    readonly imports: (keys: readonly Uint8Array[]) => readonly [string, ...unknown[]],
  ) {}

  async #import(keys: readonly Uint8Array[]): Promise<void> {
    const [method, ...params] = this.imports(keys);
    const refused = (await this.node.call(method, ...params)).find((one: { success: boolean }) => !one.success);
    if (refused) throw new Error(`a key was refused: ${JSON.stringify(refused)}`);
  }

  /**
   * Imports keys into a new wallet and scans for them. The keys are different in every round, so no cache contains the
   * results.
   */
  async importAndScan(keys: readonly Uint8Array[], round: number): Promise<void> {
    const { node } = this;
    await node.call('createwallet', `m${round}`, true, true);
    this.importing.push(await timeMs(() => this.#import(keys)));
    this.matching.push((PAYMENTS * 1_000) / (await timeMs(() => node.call('rescanblockchain'))));
    const { txcount } = await node.call('getwalletinfo');
    if (txcount !== PAYMENTS) throw new Error(`${txcount} of ${PAYMENTS} payments found`);
    const reload = async (): Promise<void> => {
      await node.call('unloadwallet', `m${round}`);
      await node.call('loadwallet', `m${round}`);
    };
    await reload();
    this.first.push(await timeMs(() => node.call('getbalance')));
    // Measure a call that needs no wallet in the same situation, to know the time of the client and of the connection.
    await reload();
    this.trivial.push(await timeMs(() => node.call('uptime')));
    await node.call('unloadwallet', `m${round}`);
    await node.call('createwallet', `n${round}`, true, true);
    await this.#import(publicKeys(`others ${round}`));
    // The scan also searches the coins that the payments spend, which are outputs of coinbases.
    this.missing.push((PAYMENTS * 1_000) / (await timeMs(() => node.call('rescanblockchain'))));
    await node.call('unloadwallet', `n${round}`);
  }

  async list(round: number): Promise<void> {
    const { node } = this;
    if (round === 0) await node.call('loadwallet', 'm0');
    this.listing.push(
      await timeMs(async () => {
        const coins = await node.call('listunspent');
        if (coins.length !== PAYMENTS) throw new Error(`${coins.length} coins are listed`);
        this.#txid = coins[0].txid;
        this.#addresses = coins.slice(0, ROUNDS).map(({ address }: { address: string }) => address);
      }),
    );
    this.one.push(await timeMs(() => node.call('listunspent', 1, 9_999_999, [this.#addresses[round]])));
    this.history.push(
      await timeMs(async () => {
        const { transactions } = await node.call('listsinceblock');
        if (transactions.length !== PAYMENTS) throw new Error(`${transactions.length} payments are listed`);
      }),
    );
  }

  async rate(load: Child, method: Rated, round: number): Promise<void> {
    const { port, auth } = this.node;
    const asked: Record<Rated, () => unknown> = {
      getaddressinfo: () => this.#addresses[0],
      getbalance: () => '*',
      gettransaction: () => this.#txid,
      listsinceblock: () => this.node.call('getbestblockhash'),
    };
    const params = [await asked[method]()];
    const request = postRequest(auth, JSON.stringify({ method, params, id: 1 }));
    const { calls, seconds } = await runLoop(load, { request, connections: CONNECTIONS, seconds: SECONDS, port });
    if (round >= 0) this.rates[method].push(calls / seconds);
  }

  cases(): BenchCase[] {
    return [
      {
        name: `${this.imports([])[0]} of ${KEYS} public keys, no scan`,
        unit: 'ms',
        better: 'lower',
        samples: this.importing,
        goal: { text: '<= 100', reached: (p50) => p50 <= 100 },
      },
      {
        name: `scan of ${PAYMENTS} payments, all of them the wallet's`,
        unit: 'tx/s',
        better: 'higher',
        samples: this.matching,
        goal: { text: '> 30,000', reached: (p50) => p50 > 30_000 },
      },
      {
        name: 'the same, none of them',
        unit: 'tx/s',
        better: 'higher',
        samples: this.missing,
        goal: { text: '> 100,000', reached: (p50) => p50 > 100_000 },
      },
      {
        name: 'getbalance, the first call after loading',
        unit: 'ms',
        better: 'lower',
        samples: this.first,
        limit: { name: 'uptime at the same moment', samples: this.trivial },
        goal: { text: '<= 1', reached: (p50) => p50 <= 1 },
      },
      { name: `listunspent, all ${PAYMENTS} coins`, unit: 'ms', better: 'lower', samples: this.listing },
      { name: `listsinceblock, all ${PAYMENTS} payments`, unit: 'ms', better: 'lower', samples: this.history },
      { name: `listunspent of one address, ${PAYMENTS / KEYS} coins`, unit: 'ms', better: 'lower', samples: this.one },
      ...RATED.map(
        ([method, goal]): BenchCase => ({
          name: `${method}, ${CONNECTIONS} connections`,
          unit: 'calls/s',
          better: 'higher',
          samples: this.rates[method],
          ...(goal > 0 ? { goal: { text: `> ${goal.toLocaleString('en-US')}`, reached: (p50: number) => p50 > goal } } : {}),
        }),
      ),
    ];
  }
}

await runBench({
  name: 'wallet',
  protects: 'how long whoever imports, scans, looks up addresses or asks for balances waits for a wallet',
  async run() {
    const node = await Daemon.start('-fronts=1', '-keypool=1');
    const program = bitcoindToCompare();
    const core = program === null ? null : await CoreDaemon.start(program, '-keypool=1', '-unsafesqlitesync=1');
    const own = new Asked(node, IMPORTS.adit);
    const theirs = core === null ? null : new Asked(core, IMPORTS.core);
    const all = theirs === null ? [own] : [own, theirs];
    const keys = publicKeys('own');
    const programs = keys.map(programOf);
    const chain = chainOfPayments(PAYMENTS, (i) => programs[i % KEYS]);
    for (const asked of all) await feed(asked.node, chain);
    for (let round = 0; round < ROUNDS; round++) for (const asked of all) await asked.importAndScan(keys, round);
    for (let round = 0; round < ROUNDS; round++) for (const asked of all) await asked.list(round);
    const load = await startLoad();
    for (const [method] of RATED)
      for (let round = -1; round < ROUNDS; round++) for (const asked of all) await asked.rate(load, method, round);
    load.end();
    await core?.end();
    await node.stop();
    await node.remove();
    const compared = (theirs?.cases() ?? []).map(({ name, unit, better, samples }) => ({
      name: `bitcoind: ${name}`,
      unit,
      better,
      samples,
    }));
    return { cases: [...own.cases(), ...compared] };
  },
});
