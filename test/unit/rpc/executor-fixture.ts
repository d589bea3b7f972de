// The node thread's call executor over a real chain in memory, with small replacements for mempool, network and log.
// For the unit tests and the fuzz test of the rpc module.

import type { DescriptorContext } from '../../../src/address/descriptor/context.js';
import { createKeyMath } from '../../../src/crypto/native/key-math.js';
import { createSigner } from '../../../src/crypto/native/sign.js';
import { wholeBody } from '../../../src/link/messages.js';
import { FeeEstimator } from '../../../src/mempool/fees/fee-estimator.js';
import { TxPool } from '../../../src/mempool/tx-pool.js';
import { CoinThreads } from '../../../src/node/coin-threads.js';
import { COMPATS, type Compat } from '../../../src/policy/compat.js';
import { ActiveCommands, CallExecutor } from '../../../src/rpc/call-executor.js';
import type { PoolList } from '../../../src/rpc/context/mempool.js';
import type { NodeContext } from '../../../src/rpc/context/node.js';
import type { WalletContext } from '../../../src/rpc/context/wallet.js';
import { MempoolTexts } from '../../../src/rpc/node/mempool-texts.js';
import { createScanRunner } from '../../../src/rpc/node/run-scan-job.js';
import { NODE_RUNS } from '../../../src/rpc/node/runs.js';
import { prefetchTxBatch } from '../../../src/rpc/node/tx-batch-prefetch.js';
import { createJobRunner } from '../../../src/rpc/reads/render-job.js';
import { RawJson } from '../../../src/rpc/wire/values.js';
import type { WalletManager } from '../../../src/wallet/manage/wallet-manager.js';
import type { NodeClient } from '../../../src/wallet/node-client.js';
import type { SpendTools } from '../../../src/wallet/spend/payment.js';
import { type BuiltBlock, buildBlock, GENESIS } from '../../framework/chain-builder.js';
import { crypto, type Fixture, facesOf } from '../../framework/chain-fixture.js';

/** A call executor and the calls that its replacements received. */
export interface TestExecutor {
  readonly executor: CallExecutor<NodeContext & WalletContext>;
  /** Returns a call's result; rejects with its code and message. */
  call(method: string, ...params: unknown[]): Promise<unknown>;
  /** Returns the code and message of a call that fails. */
  fault(method: string, ...params: unknown[]): Promise<string>;
  readonly context: NodeContext & WalletContext;
  readonly events: string[];
  readonly stopping: AbortController;
}

const NOTHING: PoolList = {
  length: 0,
  at: () => {
    throw new RangeError('nothing here');
  },
  release() {},
};

const keyMath = createKeyMath();
const descriptorsOf = ({ view }: Fixture['chain']): DescriptorContext => ({
  params: view.params,
  hashes: crypto,
  keys: keyMath,
  language: '0.21',
});
const littleEndian = (hash: Uint8Array): bigint => BigInt(`0x${Buffer.from(hash).reverse().toString('hex')}`);

/**
 * Makes an executor over the fixture's chain. buildBlock finds the test's own record of the tip in `blocks`; `parts`
 * override replacements.
 */
export function openExecutor(
  fixture: Fixture,
  blocks: Map<string, BuiltBlock> = new Map(),
  compat: Compat = COMPATS['0.21.1'],
  parts: Partial<NodeContext & WalletContext> = {},
): TestExecutor {
  const { chain, clock } = fixture;
  const events: string[] = [];
  const stopping = new AbortController();
  const active = new ActiveCommands();
  const categories = new Map([
    ['net', false],
    ['rpc', false],
  ]);
  const turn = (name: string, on: boolean) => categories.has(name) && !!categories.set(name, on);
  const scans = createScanRunner({ compat, params: chain.view.params, hashes: crypto, descriptors: descriptorsOf(chain) });
  const context: NodeContext & WalletContext = {
    compat,
    adit: { version: '9.8.7', commit: 'abcdef' },
    deprecated: new Set(),
    params: chain.view.params,
    crypto,
    scanJobs: {
      deriveAddresses: async (job) => createScanRunner({ ...context, hashes: crypto }).deriveAddresses(job),
      expandScripts: async (job) => scans.expandScripts(job),
      findActivity: async (job) => scans.findActivity(job),
    },
    coinJobs: new CoinThreads({
      coins: chain.coins,
      lend: () => null,
      render: { compat, params: chain.view.params, hashes: crypto, descriptors: descriptorsOf(chain) },
      log: () => {},
    }),
    clock: {
      nowSeconds: () => clock.nowSeconds(),
      nowMs: () => 1234,
      monotonicMs: () => performance.now(),
      setMockTime: (seconds) => events.push(`time ${seconds}`),
      advanceScheduler: (seconds) => events.push(`scheduler ${seconds}`),
    },
    ...facesOf(chain),
    client: { sync() {} } as unknown as NodeClient,
    mempool: {
      size: 0,
      sequence: 9,
      get: () => undefined,
      recentOutcome: () => undefined,
      byWtxid: () => undefined,
      known: () => null,
      spender: () => undefined,
      snapshot: async () => NOTHING,
      tables: new TxPool(1 << 16),
      ancestors: () => [],
      descendants: () => [],
      cluster: () => [],
      stats: () => ({
        transactions: 0,
        bytes: 0,
        usageBytes: 64,
        maxUsageBytes: 300_000_000,
        minFeeRate: 2000,
        minRelayFeeRate: 1000,
        incrementalFeeRate: 1000,
        unbroadcast: 0,
        totalFees: 0,
        permitBareMultisig: true,
        dataCarrierBytes: 83,
        limitClusterCount: Number.POSITIVE_INFINITY,
        limitClusterSize: Number.POSITIVE_INFINITY,
      }),
      accept: () => Promise.reject(new Error('no pool here')),
      acceptPackage: () => Promise.reject(new Error('no pool here')),
      testPackage: () => Promise.reject(new Error('no pool here')),
      prefetchTransactions: () => Promise.resolve(),
      addUnbroadcast: () => {},
      announce: () => {},
      hasFixedFee: () => false,
      prioritised: () => [],
      loaded: true,
      fees: new FeeEstimator(),
      prioritise: (txid, delta) => events.push(`prioritise ${Buffer.from(txid).toString('hex').slice(0, 4)} ${delta}`),
      returning: false,
      settled: () => Promise.resolve(),
    },
    mempoolTexts: new MempoolTexts(
      { size: 0, sequence: 9, tables: new TxPool(1 << 16) },
      { runNamed: () => Promise.reject(new Error('no threads here')) },
      { compat, bip125: false, byChunks: false },
    ),
    folder: '/',
    savePool: async () => {
      events.push('saved');
      return '/mempool.dat';
    },
    importPool: async (file, options) => {
      events.push(`import ${JSON.stringify(options)}`);
      return file === 'good.dat';
    },
    readAsmap: async () => null,
    txIndex: null,
    spenderIndex: null,
    filterIndex: null,
    coinStatsIndex: null,
    indexes: [],
    sv2: null,
    stratum: null,
    jobs: { pin: () => 0, get: () => undefined },
    templates: {
      getBlockTemplate: (request) => Promise.resolve(new RawJson(`{"rules":${request.rules.length}}`)),
      buildBlock: async (script) => {
        const parent = blocks.get(chain.view.tip.hashHex) ?? GENESIS;
        return new Uint8Array(buildBlock(parent, { script, unsolved: true }).bytes);
      },
      pinned: () => null,
      coinbaseSubmitted: () => {},
      blockSubmitted: () => {},
      verdict: () => null,
      next: () => {
        throw new Error('no templates here');
      },
      minFeeRate: 1000,
      isOptimal: () => true,
      lastAssembled: () => ({ weight: 4000, transactions: 0 }),
    },
    grinder: {
      grind: async (header, target, { maxTries }) => {
        const bytes = Buffer.from(header);
        for (let nonce = 0; nonce < Math.min(maxTries, 1000); nonce++) {
          bytes.writeUInt32LE(nonce, 76);
          if (littleEndian(crypto.sha256d(bytes)) <= target) return { nonce };
        }
        return { nonce: null };
      },
    },
    network: {
      connections: () => ({ in: 1, out: 2 }),
      peers: () => [],
      totals: () => ({ received: 5, sent: 6 }),
      subversion: '/x:1/',
      protocolVersion: 70016,
      localServices: 0x409n,
      serviceNames: ['NETWORK', 'WITNESS', 'NETWORK_LIMITED'],
      active: true,
      relays: true,
      networks: [{ name: 'ipv4', limited: false, reachable: true, proxy: '', proxy_randomize_credentials: false }],
      timeOffset: () => 0,
      localAddresses: () => [{ address: '8.8.4.4', port: 18444, score: 4 }],
      extraTransactions: () => new Map(),
      orphans: () => [],
      privately: () => null,
      upload: () => ({ target: 0, reached: false, historicalReached: false, bytesLeft: 0, secondsLeft: 0 }),
      control: networkControl(),
    },
    log: {
      categories: () => [...categories],
      enable: (name) => turn(name, true),
      disable: (name) => turn(name, false),
      path: '/tmp/debug.log',
      info: () => {},
    },
    wallets: null as unknown as WalletManager,
    spend: null as unknown as SpendTools,
    descriptors: descriptorsOf(chain),
    recoverable: keyMath,
    signer: createSigner(),
    passOn: null,
    waitForListeners: () => Promise.resolve(),
    warnings: () => [],
    stop: (waitMs) => events.push(`stop ${waitMs}`),
    stopping: stopping.signal,
    activeCommands: async () => active.list(),
    startedSeconds: 0,
    ...parts,
  };
  const runJob = createJobRunner({ compat, params: context.params, hashes: crypto, crypto, descriptors: context.descriptors });
  const executor = new CallExecutor(context, {
    runs: NODE_RUNS,
    prefetchBatch: prefetchTxBatch,
    wallets: context.passOn !== null,
    active,
    warmup: () => null,
    runReadJob: async (job) => runJob(job),
    onFault: (method, error) => events.push(`${method}: ${String(error)}`),
  });
  const reply = async (method: string, params: unknown[]) => {
    const { body } = await executor.executeBody(Buffer.from(JSON.stringify({ method, params, id: 1 })), { user: '', uri: '/' });
    return JSON.parse(Buffer.from(wholeBody(body)).toString()) as { result: unknown; error: { code: number; message: string } | null };
  };
  return {
    executor,
    context,
    events,
    stopping,
    call: async (method, ...params) => {
      const { result, error } = await reply(method, params);
      if (error) throw new Error(`${error.code} ${error.message}`);
      return result;
    },
    fault: async (method, ...params) => {
      const { error } = await reply(method, params);
      return error ? `${error.code} ${error.message}` : 'none';
    },
  };
}

const knownNode = (address: string, system: number) => {
  const source = { address: '1.1.1.1', network: 'ipv4', system };
  return { address, network: 'ipv4', system, port: 8333, services: 9, time: 1_700_000_000, source };
};

/** Makes a network that records its calls. */
function networkControl(): NodeContext['network']['control'] {
  const added: string[] = [];
  const bans = new Map<string, { address: string; until: number; createdAt: number }>();
  return {
    connectOnce: async () => {},
    openConnection: async (node) => node !== '9.9.9.9:9',
    addNode: (node) => !added.includes(node) && added.push(node) > 0,
    encrypts: () => false,
    removeNode: (node) => added.includes(node) && added.splice(added.indexOf(node), 1).length > 0,
    addedNodes: async () => added.map((addednode) => ({ addednode, connected: false, addresses: [] })),
    disconnectAddress: (address) => address === '1.2.3.4:5',
    disconnectId: (id) => id === 7,
    pingAll: () => {},
    fetchBlock: (_hash, peer) => (peer === 7 ? null : 'Peer does not exist'),
    setActive: () => {},
    isSubnet: (text) => /^[\d./]+$/.test(text),
    isBanned: (text) => bans.has(text),
    ban: (address, seconds, absolute) => bans.set(address, { address, until: absolute ? seconds : 1_000 + seconds, createdAt: 1_000 }),
    unban: (text) => bans.delete(text),
    bans: () => [...bans.values()],
    clearBans: () => bans.clear(),
    knownAddresses: (count, network = 'ipv4') =>
      [{ time: 1, services: 9, address: '8.8.8.8', port: 8333, network: 'ipv4' }].filter((one) => one.network === network).slice(0, count),
    addressTables: () => ({
      new: new Map([['3/7', knownNode('8.8.8.8', 0)]]),
      tried: new Map([['1/2', knownNode('9.9.9.9', 19281)]]),
    }),
    addressCounts: () =>
      new Map([
        ['ipv4', { new: 3, tried: 1 }],
        ['onion', { new: 0, tried: 2 }],
      ]),
    addAddress: (address) => (address === '1' ? 'failed-adding-to-new' : null),
  };
}
