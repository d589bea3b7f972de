// Context of RPC calls on the node thread, and the executors that run them.

import fs from 'node:fs/promises';
import type { DescriptorContext } from '../address/descriptor/context.js';
import { buildCommit, version } from '../config/index.js';
import type { FilterIndex, Indexes } from '../indexes/index.js';
import { type FilterOfBlock, type FilterSearch, pooledFilterSearch } from '../parallel/filter-matcher.js';
import type { RenderPool } from '../parallel/render-pool.js';
import { type ActiveCommands, CallExecutor } from '../rpc/call-executor.js';
import type { FilterIndexAccess } from '../rpc/context/indexes.js';
import type { NetworkAccess } from '../rpc/context/network.js';
import type { NodeContext } from '../rpc/context/node.js';
import { METHODS } from '../rpc/declare/methods.js';
import { RPC_CODE } from '../rpc/errors.js';
import { MempoolTexts } from '../rpc/node/mempool-texts.js';
import { passingOn } from '../rpc/node/pass-on.js';
import { RestHandler } from '../rpc/node/rest.js';
import { NODE_RUNS } from '../rpc/node/runs.js';
import { prefetchTxBatch } from '../rpc/node/tx-batch-prefetch.js';
import type { ReadResult } from '../rpc/reads/read-job.js';
import { passedBuffers } from '../rpc/wire/taken-secrets.js';
import { ExternalSigner } from '../wallet/node-face.js';
import { CoinThreads } from './coin-threads.js';
import type { Notifications } from './notifications.js';
import type { NodeBase } from './open-base.js';
import type { OpenedChain } from './open-chain.js';
import type { CallExecutors } from './open-fronts.js';
import type { OpenedMempool } from './open-mempool.js';
import type { OpenedTemplates } from './open-templates.js';
import type { OpenedThreads } from './open-threads.js';
import type { OpenedWallets } from './open-wallets.js';
import { createRunForJson } from './run-for-json.js';
import type { LateModules, Wired } from './wiring.js';

/** Creates a search of filters for packed scripts. */
type FilterSearcher = (packed: SharedArrayBuffer) => FilterSearch;

/** Returns the index members of NodeContext; null for disabled indexes. */
function indexAccess(
  { tx, spenders, filters, coinStats, list }: Indexes,
  searcher: FilterSearcher,
): Pick<NodeContext, 'txIndex' | 'spenderIndex' | 'filterIndex' | 'coinStatsIndex' | 'indexes'> {
  return {
    txIndex: tx && {
      synced: () => tx.follower.waitUntilSynced(),
      find: (txid) => tx.index.find(txid),
      locate: (txid) => tx.index.locate(txid),
      blockHashAt: (place) => tx.index.blockHashAt(place),
    },
    spenderIndex: spenders && { synced: () => spenders.follower.waitUntilSynced(), find: (outpoint) => spenders.index.find(outpoint) },
    filterIndex: filters && {
      state: filters.follower,
      find: (hash) => filters.index.find(hash),
      heads: (hashes) => filters.index.heads(hashes),
      search: filterSearch(filters.index, searcher),
    },
    coinStatsIndex: coinStats && { state: coinStats.follower, find: (node) => coinStats.index.find(node) },
    indexes: list,
  };
}

/** Returns a search over the filters of an index. */
export function filterSearch(index: Pick<FilterIndex, 'findAll'>, searcher: FilterSearcher): FilterIndexAccess['search'] {
  return (packed) => {
    const match = searcher(packed);
    return async (hashes) => {
      const found = await index.findAll(hashes);
      const filters = found.map((one, i): FilterOfBlock | undefined => one && { hash: hashes[i] as Uint8Array, filter: one.filter });
      const hits = await match(filters.filter((filter) => filter !== undefined));
      let next = 0;
      return filters.map((filter) => (filter === undefined ? undefined : hits[next++]));
    };
  };
}

export interface ContextParts extends OpenedThreads, OpenedChain, OpenedMempool, OpenedTemplates, OpenedWallets {
  readonly network: NetworkAccess;
  readonly notifications: Notifications;
  readonly late: LateModules;
  readonly wired: Wired;
}

/**
 * Creates the context.
 * @param active running calls of the node thread
 */
export function createNodeContext(base: NodeBase, parts: ContextParts, active: ActiveCommands): NodeContext {
  const { config, params, crypto, keyMath, clock, scheduler, stop, startedSeconds } = base;
  const { pool, chain, mempool, poolFiles, indexes, wallets, late, wired } = parts;
  const { descriptors: language, hardenedMark: inferredMark } = config.compat;
  const descriptors: DescriptorContext = { params, hashes: crypto, keys: keyMath, language, inferredMark };
  const { signerCommand } = config.wallet;
  return {
    compat: config.compat,
    adit: { version, commit: buildCommit() },
    deprecated: config.deprecatedRpc,
    folder: config.netDir,
    zmq: parts.notifications.zmq,
    params,
    crypto,
    clock: {
      nowSeconds: () => clock.nowSeconds(),
      nowMs: () => clock.nowMs(),
      monotonicMs: () => clock.monotonicMs(),
      setMockTime: (seconds) => {
        clock.setMockTime(seconds);
        wired.showDownload();
        late.net?.timeMoved();
      },
      advanceScheduler: (seconds) => {
        scheduler.advance(seconds);
        wallets?.advance(seconds);
      },
    },
    chain: chain.view,
    blocks: chain.blocks,
    coins: chain.coins,
    commands: chain.commands,
    scanJobs: {
      deriveAddresses: (job) => parts.renderers.runNamed('deriveAddresses', job, passedBuffers(job.secrets)),
      expandScripts: (job) => parts.renderers.runNamed('expandScripts', job, passedBuffers(job.secrets)),
      findActivity: (job) => parts.renderers.runNamed('findActivity', job),
    },
    coinJobs: new CoinThreads({
      coins: chain.coins,
      lend: (work) => base.store.lend(work),
      render: { compat: config.compat, params, hashes: crypto, descriptors },
      log: (line) => base.logControl.info(line),
    }),
    events: chain.events,
    mempool,
    mempoolTexts: new MempoolTexts(mempool, parts.renderers, {
      compat: config.compat,
      bip125: config.deprecatedRpc.has('bip125'),
      byChunks: mempool.options.policy.clusters,
    }),
    savePool: () => poolFiles.save(mempool),
    importPool: (file, options) => poolFiles.import(mempool, file, options, stop.signal),
    readAsmap: async () => (config.asmapFile === undefined ? null : fs.readFile(config.asmapFile)),
    ...indexAccess(indexes, (packed) => pooledFilterSearch(pool, packed)),
    templates: parts.access,
    jobs: parts.jobs,
    sv2: parts.sv2,
    stratum: parts.stratum,
    grinder: parts.grinder,
    network: parts.network,
    log: base.logControl,
    descriptors,
    recoverable: keyMath,
    signer: parts.signer,
    signingThreads: parts.signingThreads,
    ...(signerCommand && { externalSigner: new ExternalSigner(signerCommand, params.name, createRunForJson(stop.signal)) }),
    passOn: wallets && passingOn(wallets),
    waitForListeners: () => (mempool.returning || !indexes.settled ? mempool.settled().then(() => indexes.waitUntilSynced()) : undefined),
    warnings: () =>
      [
        late.ruleWatch?.text ?? '',
        late.forkWatch?.text ?? '',
        late.clockWatch?.text ?? '',
        late.net?.discovery.clockCheck.warning ?? '',
      ].filter((text) => text !== ''),
    stop: (waitMs) => setTimeout(() => stop.requestStop(), waitMs),
    stopping: stop.signal,
    activeCommands: async () => [...active.list(), ...((await wallets?.activeCommands()) ?? [])],
    startedSeconds,
  };
}

/** Result of a job whose client has disconnected. */
const DROPPED: ReadResult = { code: RPC_CODE.MISC_ERROR, message: 'The client has disconnected', log: null };

/**
 * Creates the executors of calls that fronts pass on.
 * @param active running calls, maintained by the executor
 */
export function createExecutors(
  base: NodeBase,
  context: NodeContext,
  active: ActiveCommands,
  renderers: RenderPool<ReadResult>,
): Pick<CallExecutors, 'calls' | 'rest'> {
  const { config, state, log, observe } = base;
  const failed = (what: string, error: unknown): void =>
    log.error(`${what} failed: ${error instanceof Error ? error.stack : String(error)}`);
  const calls = new CallExecutor(context, {
    runs: NODE_RUNS,
    prefetchBatch: prefetchTxBatch,
    wallets: config.wallet.enabled,
    requests: { version2: config.rpc.jsonRpc2 },
    active,
    warmup: () => null,
    onStart: (method, user) => log.debug('rpc', `ThreadRPCServer method=${method} user=${user}`),
    onCall: (method, seconds, code) => {
      const spec = METHODS.get(method);
      if (spec?.category === 'blockchain' && spec.repeatable !== true) state.noteBlockChange();
      else if (spec?.repeatable !== true) state.noteChange();
      observe.rpc(method, seconds, code === 0);
    },
    onFault: failed,
    runReadJob: async (job, signal) => {
      const result = (await renderers.run(job, signal)) ?? DROPPED;
      if ('code' in result && result.log !== null) log.info(result.log);
      return result;
    },
  });
  const rest = new RestHandler(context, {
    onCall: (endpoint, seconds, status) => observe.rpc(`rest/${endpoint}`, seconds, status === 200),
    onFault: (endpoint, error) => failed(`rest/${endpoint}`, error),
  });
  return { calls, rest };
}
