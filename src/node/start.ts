// Starts and stops a node. Opens everything from the disk upwards, wires it, and lets it run; a stop closes it in
// reverse order. Each open function returns what it opened and adds to the teardown how to close it. wiring.ts says
// which module receives which event. The database comes first, because it proves that no other node uses the folder.
// The RPC cookie is written once the port is bound.

import type { Chain } from '../chain/index.js';
import { ConfigError, type NodeConfig, versionText } from '../config/index.js';
import { createNativeCrypto } from '../crypto/native/index.js';
import { logNotes, type NodeLogger } from '../log/create-logger.js';
import type { Mempool } from '../mempool/index.js';
import { BindError, type Net, SyncProgress } from '../net/index.js';
import { runCommands } from '../notify/index.js';
import { ActiveCommands } from '../rpc/call-executor.js';
import { readAsmap } from './asmap-file.js';
import { ClockWatch } from './clock-watch.js';
import { ForkWatch } from './fork-watch.js';
import { diskSpaceWarning, freeBytes } from './free-disk-space.js';
import { loadBlocks } from './load-blocks.js';
import type { MetricSources } from './metric-sources.js';
import { createNetworkAccess } from './network-access.js';
import { networkParams } from './network-params.js';
import { NodeStop } from './node-stop.js';
import { type Notifications, startNotifications } from './notifications.js';
import { type NodeBase, openBase } from './open-base.js';
import { openBlockWarmup } from './open-block-warmup.js';
import { openChain } from './open-chain.js';
import { openFronts } from './open-fronts.js';
import { openMempool } from './open-mempool.js';
import { openNet } from './open-net.js';
import { type OpenedStorage, openStorage } from './open-storage.js';
import { openTemplates } from './open-templates.js';
import { openThreads } from './open-threads.js';
import { openWallets } from './open-wallets.js';
import { guardReaders, pruneAtStart } from './pruning.js';
import { startRecurring } from './recurring.js';
import { createExecutors, createNodeContext } from './rpc-context.js';
import { RuleWatch } from './rule-watch.js';
import { serveStatus } from './status-server.js';
import { Teardown } from './teardown.js';
import { warmupTexts } from './warmup.js';
import { type LateModules, type Wired, type WiredModules, wire, wireNet } from './wiring.js';

export interface RunningNode {
  readonly chain: Chain;
  readonly mempool: Mempool;
  /** Addresses of the RPC port, `host:port`; empty with -server=0. */
  readonly addresses: readonly string[];
  /** Resolves when a stop is requested: by the stop call, or by a fault (with its error). */
  readonly stopRequested: Promise<Error | undefined>;
  /** Closes everything in order. Safe to call twice. */
  stop(): Promise<void>;
}

/**
 * Starts a node.
 * @param aborted fires when the operator requests a stop during the start
 * @param onFronts receives, early in the start, a function that ends only the front threads after an uncaught fault:
 *   their sockets must be closed before the process ends, or the process aborts
 * @throws ConfigError, StoreError, HttpStartError with messages for the operator
 */
export async function startNode(
  config: NodeConfig,
  log: NodeLogger,
  aborted: AbortSignal,
  onFronts: (abandon: () => Promise<void>) => void,
): Promise<RunningNode> {
  const teardown = new Teardown();
  try {
    return await start(config, log, new NodeStop(aborted), teardown, onFronts);
  } catch (error) {
    await runCommands(config.notify.shutdown, log);
    await teardown.run();
    throw error;
  }
}

async function start(
  config: NodeConfig,
  log: NodeLogger,
  stop: NodeStop,
  teardown: Teardown,
  onFronts: (abandon: () => Promise<void>) => void,
): Promise<RunningNode> {
  const startedSeconds = Math.floor(Date.now() / 1000);
  log.info(
    `adit version ${versionText()}, ${config.chain} in ${config.netDir}, ${config.par} script verification thread${config.par === 1 ? '' : 's'}, Node ${process.version}`,
  );
  logNotes(config.notes, log);

  // Open.
  const crypto = createNativeCrypto();
  const params = networkParams(config, crypto);
  const storage = await openStorage(config, params, log, teardown);
  const base = openBase({ config, log, teardown, stop, crypto, params, store: storage.store, startedSeconds });
  const late: LateModules = {};
  const threads = openThreads(base);
  const asmap = readAsmap(config.asmapFile, log);
  const front = await openFronts(base, onFronts);
  const chained = await openChain(base, threads, front, storage, (text) => late.notifications?.alert(text));
  const { chain, indexes } = chained;
  if (!config.reindex && !config.reindexChainstate && chain.view.tip.height <= 1) {
    const warning = diskSpaceWarning(config, params, freeBytes(config.blocksDir));
    if (warning !== null) log.warnLoudly(warning);
  }
  const pooled = await openMempool(base, chain, threads);
  const { mempool } = pooled;
  const templated = openTemplates(base, { chain, mempool }, threads, front, {
    reached: (hash) => late.net?.times.noteReached(hash, 'template'),
    publishShares: async (records) => {
      late.notifications?.onShares(records);
      return config.fleet?.shares !== true || (await front.fronts?.publishShares(records)) === true;
    },
  });
  const walletParts = openWallets(base, { chain, indexes, mempool }, threads);

  // Wire.
  const modules: WiredModules = { ...front, ...chained, ...pooled, ...templated, ...walletParts, late };
  const wired = wire(base, modules);
  guardReaders(chain, indexes);

  // Followers of the chain catch up.
  const { wallets } = walletParts;
  if (wallets) {
    front.setWarmupPhase(warmupTexts.wallets);
    teardown.add(() => wallets.close());
    await wallets.load();
  }
  chained.allowPruning();
  if (!storage.scan) await pruneAtStart(chain, log);
  const notifications = await openNotifications(base, modules);
  const { templates, sv2, stratum } = templated;
  const clockWatch = new ClockWatch(
    base.clock,
    {
      get clockBehind() {
        return templates.clockBehind;
      },
      clockChanged: () => {
        templates.clockChanged();
        sv2?.clockChanged();
        stratum?.clockChanged();
      },
      clockSet: () => {
        sv2?.clockChanged();
        stratum?.clockChanged();
      },
    },
    log,
    (text) => notifications.alert(text),
  );
  late.clockWatch = clockWatch;

  // Listen.
  const network = createNetworkAccess(config.net, config.deprecatedRpc, () => late.net);
  const active = new ActiveCommands();
  const context = createNodeContext(base, { ...threads, ...modules, network, notifications, wired }, active);
  front.serveCalls({ ...createExecutors(base, context, active, threads.renderers), templates: templated.templates });
  // Running calls use everything that was opened after the fronts, so close the fronts before it.
  teardown.add(front.close);
  if (sv2 !== null) teardown.add(() => sv2.close());
  if (stratum !== null) teardown.add(() => stratum.close());
  indexes.start();
  const progress = syncProgress(base, modules);
  const seen: MetricSources = {
    ...{
      config,
      chain,
      mempool,
      templates: templated.templates,
      submissions: templated.access.submissions,
      verifier: threads.verifier,
      network,
      progress,
      wallets,
      sv2,
      stratum,
      startedSeconds,
    },
    net: () => late.net,
    engine: storage.store.engine,
    backend: crypto.backend,
    fronts: () => front.fronts,
    warnings: context.warnings,
    latest: () => wired.newest.figures,
  };
  await openStatus(base, modules, seen, threads.pool.size);
  wired.showTip();
  log.info(
    `Loaded best chain: hashBestChain=${chain.view.tip.hashHex} height=${chain.view.tip.height} date=${new Date(chain.view.tip.time * 1000).toISOString().slice(0, 19)}Z progress=${chain.view.verificationProgress(chain.view.tip).toFixed(6)}`,
  );
  front.setWarmupPhase(warmupTexts.network);
  const net = openNet(base, { chain, indexes, mempool }, asmap);
  late.net = net;
  wireNet(net, base);
  startRecurring(base, { chain, ...pooled, progress, net, clockWatch, late });
  openBlockWarmup(base, threads, modules);
  await net.listen().catch((error: Error) => {
    throw error instanceof BindError ? new ConfigError(error.message) : error;
  });
  await sv2?.listen();
  await stratum?.listen();
  wallets?.serveFronts(front.fronts);
  // From here on calls are answered.
  front.setWarmupPhase(null);

  // Do not wait until the loading is finished, so that signals and the stop call are handled during it.
  const loading = loadInBackground(base, storage, modules, wired, net, notifications).catch((error: Error) => {
    if (chain.fault === null) log.error(`Loading blocks: ${error.message}`);
    stop.requestStop(error);
  });
  teardown.add(() => loading);
  let stopped: Promise<void> | undefined;
  return {
    chain,
    mempool,
    addresses: front.addresses,
    stopRequested: stop.requested,
    stop: () => {
      stopped ??= stopNode(base, modules);
      return stopped;
    },
  };
}

async function openNotifications(
  { config, log, guard, teardown }: NodeBase,
  { chain, mempool, late }: WiredModules,
): Promise<Notifications> {
  const notifications = await startNotifications(config.notify, { chain, mempool, log, guard });
  teardown.add(() => notifications.close());
  late.notifications = notifications;
  const alert = (text: string): void => notifications.alert(text);
  late.ruleWatch = new RuleWatch(chain.view, log, alert, config.compat);
  late.forkWatch = new ForkWatch(chain, log, alert, config.compat);
  return notifications;
}

function syncProgress({ params, clock }: NodeBase, { chain, late }: WiredModules): SyncProgress {
  return new SyncProgress({
    params,
    downloading: () => chain.view.isInitialBlockDownload(),
    height: () => chain.view.reached.height,
    bestHeader: () => chain.view.bestHeader,
    presync: () => late.net?.sync.headers.presyncPlace ?? null,
    verificationProgress: () => chain.view.verificationProgress(chain.view.reached),
    checkpointAgeSeconds: () => chain.download.engine?.checkpointAgeSeconds ?? null,
    nowMs: () => clock.nowMs(),
  });
}

/**
 * Sets the sources of scrapes and opens the metrics port.
 * @throws ConfigError if the port of -metricsport is in use
 */
async function openStatus(base: NodeBase, { slabs, blocks }: WiredModules, seen: MetricSources, scriptThreads: number): Promise<void> {
  const { config, log, guard, teardown, metrics } = base;
  base.setMetricSources(seen);
  const { port } = config.metrics;
  if (port === undefined) return;
  await serveStatus({ ...config.metrics, port }, { metrics, seen: { ...seen, slabs, blocks, scriptThreads }, log, guard, teardown });
}

/** Background part of the start: long work with blocks, then templates, the saved mempool, peers. */
async function loadInBackground(
  { config, store, log, stop }: NodeBase,
  { scan, note }: OpenedStorage,
  { chain, mempool, poolFiles, templates, sv2, stratum }: WiredModules,
  { showDownload }: Wired,
  net: Net,
  notifications: Notifications,
): Promise<void> {
  const stopping = stop.signal;
  await loadBlocks({ scan: scan ? note : null, files: config.loadBlockFiles }, { chain, store, log, stopping });
  showDownload();
  if (stopping.aborted) return;
  if (config.stopAfterImport) {
    log.info('Stopping after block import');
    stop.requestStop();
    return;
  }
  await sv2?.start();
  await stratum?.start();
  if (stopping.aborted) return;
  if (config.persistMempool) void poolFiles.load(mempool, stopping);
  else mempool.loaded = true;
  templates.start();
  net.start();
  log.info(`init message: Done loading: height ${chain.view.tip.height}, tip ${chain.view.tip.hashHex}`);
  notifications.started();
}

async function stopNode({ config, log, stop, teardown }: NodeBase, { fronts, mempool }: WiredModules): Promise<void> {
  // Run the commands while the node still answers calls, because the commands may make some.
  await runCommands(config.notify.shutdown, log);
  log.info('Shutdown: In progress...');
  fronts?.stopAccepting();
  stop.beginStop();
  mempool.bumpCounter();
  const failure = await teardown.run();
  if (failure) log.error(`Shutdown: ${failure.message}`);
}
