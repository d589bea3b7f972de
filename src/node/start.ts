// Builds a node from its options, wires the rooms together, and takes it down again. The only place that knows every
// room. Longer than most files because every room is wired here. Order of a start: folder and database (which proves
// that no other node holds them), threads, chain, mempool, templates, fronts; the RPC cookie is written once the port
// is ours, and calls are answered with -28 until the chain is loaded.

import crypto from 'node:crypto';
import fs from 'node:fs/promises';
import path from 'node:path';
import type { DescriptorContext } from '../address/descriptor/context.js';
import { Chain } from '../chain/chain.js';
import type { HeaderNode } from '../chain/tree/header-node.js';
import { ConfigError } from '../config/args.js';
import type { NodeConfig } from '../config/load.js';
import { version } from '../config/version.js';
import { createEllSwift } from '../crypto/native/ell-swift.js';
import { createNativeCrypto, cryptoWarning } from '../crypto/native/index.js';
import { createKeyMath } from '../crypto/native/key-math.js';
import { createSigner } from '../crypto/native/sign.js';
import { HTTP_DEFAULTS } from '../http/options.js';
import type { Fronts } from '../http/server.js';
import { Indexes } from '../indexes/indexes.js';
import type { Clock } from '../lib/clock.js';
import { Scheduler } from '../lib/scheduler.js';
import { Semaphore } from '../lib/semaphore.js';
import { SystemClock } from '../lib/system-clock.js';
import type { WorkedTip } from '../link/messages.js';
import { SharedState, STATE_FLAG } from '../link/shared-state.js';
import { SlabRing } from '../link/slab-ring.js';
import type { NodeLogger } from '../log/create-logger.js';
import { JobPins } from '../mempool/job-pins.js';
import { Mempool } from '../mempool/mempool.js';
import { Net } from '../net/net.js';
import { BindError } from '../net/peer/connector.js';
import { SyncProgress } from '../net/sync/sync-progress.js';
import { PooledAssembler } from '../parallel/assembler-pooled.js';
import { PooledBlockScanner } from '../parallel/block-scanner.js';
import { CachedVerifier } from '../parallel/cached-verifier.js';
import { PooledCoinScanner } from '../parallel/coin-scanner.js';
import { pooledFilterSearch } from '../parallel/filter-matcher.js';
import { Grinder } from '../parallel/grinder.js';
import { WorkPool } from '../parallel/pool.js';
import { PooledSigner } from '../parallel/pooled-signer.js';
import { PooledVerifier } from '../parallel/pooled-verifier.js';
import { ScriptCache } from '../parallel/script-cache.js';
import { follows } from '../policy/compat.js';
import type { NodeContext } from '../rpc/context/node.js';
import { METHODS } from '../rpc/declare/methods.js';
import { ActiveCommands, CallDesk } from '../rpc/desk.js';
import { RPC_CODE, RpcError } from '../rpc/errors.js';
import { HEAVY_CALLS } from '../rpc/node/heavy-call.js';
import { passingOn } from '../rpc/node/pass-on.js';
import { RestDesk } from '../rpc/node/rest.js';
import { NODE_RUNS } from '../rpc/node/runs.js';
import { lookAhead } from '../rpc/node/send-ahead.js';
import { difficultyOf } from '../rpc/render/difficulty.js';
import { REST_PREFIX } from '../rpc/rest/request.js';
import { BlockFiles } from '../storage/block-files.js';
import type { FolderLock } from '../storage/folder-lock.js';
import type { RocksStore } from '../storage/rocks-store.js';
import { TemplateService } from '../template/service.js';
import { ExternalSigner } from '../wallet/external-signer.js';
import { readAsmap } from './asmap-file.js';
import { NewestBlock } from './block-figures.js';
import { chainOptions, checkStoredBlocks } from './chain-options.js';
import { writePidFile } from './data-folder.js';
import { indexAccess } from './index-access.js';
import { InlineNodeClient } from './inline-node-client.js';
import { importPaths, loadBlocks } from './load-blocks.js';
import { databaseDir, lockBlocks, openDatabase } from './locks.js';
import { createLogControl } from './log-control.js';
import { mempoolOptions } from './mempool-options.js';
import type { MetricRooms } from './metric-rooms.js';
import { createMetrics } from './metrics.js';
import { createNetworkAccess } from './network-access.js';
import { logTrust, networkParams } from './network-params.js';
import { startNotifications } from './notifications.js';
import { PoolFiles } from './pool-files.js';
import { fileSizes, guardReaders, pruneAtStart, refuseUnpruned } from './pruning.js';
import { prepareRebuild } from './rebuild.js';
import { openRpcServer } from './rpc-server.js';
import { RuleWatch } from './rule-watch.js';
import { createRunForJson } from './run-for-json.js';
import { RecentBlocks } from './status.js';
import { serveStatus } from './status-server.js';
import { createSv2, type Sv2 } from './sv2.js';
import { Teardown } from './teardown.js';
import { createTemplateAccess } from './template-access.js';
import { TipPublisher } from './tip-publisher.js';
import { WalletThread } from './wallet-thread.js';
import { warmupDesk, warmupTexts } from './warmup.js';

const hourMs = 3_600_000;
/** Transactions that no peer has asked for are announced again this often. */
const unbroadcastMs = 12 * 60_000;
/** How often it is looked what was sent privately and has not come back. */
const PRIVATE_RETRY_MS = 150_000;
/** Between two looks at how far initial download came; each may be a line of the log. */
const syncLineMs = 10_000;
/** Templates that readers may be at in mode live. */
const liveSlabs = 16;
/** Waits are not learnt from while the tip is older than this. */
const feeTipAgeSeconds = 3 * 60 * 60;

/** A node that runs. */
export interface RunningNode {
  readonly chain: Chain;
  readonly mempool: Mempool;
  /** Where JSON-RPC is answered, `host:port`; empty with -server=0. */
  readonly addresses: readonly string[];
  /** Resolves when something asks for the end: the stop call, or a fault (then with its error). */
  readonly stopAsked: Promise<Error | undefined>;
  /** Takes everything down in order. Safe to call twice. */
  stop(): Promise<void>;
}

const snapshotOf = (tip: HeaderNode): WorkedTip => ({
  height: tip.height,
  hashHex: tip.hashHex,
  difficulty: difficultyOf(tip.bits),
  chainWorkHex: tip.chainWork.toString(16).padStart(64, '0'),
});

/** Core's IsCurrentForFeeEstimation: waiting times mean something only while blocks come as they are found. */
function blocksAreCurrent(chain: Chain, clock: Clock): boolean {
  if (chain.isInitialBlockDownload() || chain.tip.time < clock.nowSeconds() - feeTipAgeSeconds) return false;
  return chain.tip.height >= chain.bestHeader.height - 1;
}

/**
 * Starts a node.
 * @param aborted fires when the operator wants the end before the start is over
 * @param onFronts is told, long before the start is over, how to end the front threads and nothing else after a fault
 * that nobody caught:
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
    return await build(config, log, aborted, teardown, onFronts);
  } catch (error) {
    await teardown.run();
    throw error;
  }
}

async function build(
  config: NodeConfig,
  log: NodeLogger,
  aborted: AbortSignal,
  teardown: Teardown,
  onFronts: (abandon: () => Promise<void>) => void,
): Promise<RunningNode> {
  const startedSeconds = Math.floor(Date.now() / 1000);
  log.info(
    `adit version ${version}, ${config.chain} in ${config.netDir}, ${config.par} script verification thread${config.par === 1 ? '' : 's'}, Node ${process.version}`,
  );
  for (const note of config.notes) log.info(note);
  // Said before anything is opened.
  for (const file of config.loadBlockFiles) importPaths(file);

  const stopping = new AbortController();
  let askStop: (fault?: Error) => void = () => {};
  const stopAsked = new Promise<Error | undefined>((resolve) => {
    askStop = resolve;
  });
  const beginStop = (): void => stopping.abort();
  if (aborted.aborted) beginStop();
  else aborted.addEventListener('abort', beginStop);

  const native = createNativeCrypto();
  const params = networkParams(config, native);
  let blocksLock: FolderLock | undefined;
  teardown.add(() => blocksLock?.release());
  const openAlone = async (): Promise<RocksStore> => {
    const opened = await openDatabase(config, log);
    blocksLock ??= await lockBlocks(config, opened);
    return opened;
  };
  const rebuild = await prepareRebuild(
    { all: config.reindex, chainstate: config.reindexChainstate, prune: config.prune !== null },
    { netDir: config.netDir, blocksDir: config.blocksDir, databaseDir: databaseDir(config) },
    params,
    openAlone,
    (opened) => refuseUnpruned(opened, config),
    log,
  );
  const { store } = rebuild;
  teardown.add(() => store.close());
  teardown.add(() => pid.remove());
  const pid = writePidFile(config.pidFile);

  log.info(`Curve checks: ECDSA by ${native.backend.ecdsa}, Schnorr by ${native.backend.schnorr}; database: ${store.engine}`);
  const curveWarning = cryptoWarning(native.backend);
  if (curveWarning !== null) log.warn(curveWarning);
  logTrust(config, params, log);
  const keyMath = createKeyMath();

  const state = new SharedState();
  state.startedMs = startedSeconds * 1000;
  state.mockSeconds = config.mockTime;
  state.set(STATE_FLAG.TEST_CHAIN, config.chain !== 'main');
  state.set(STATE_FLAG.NETWORK, true);
  state.set(STATE_FLAG.INITIAL_BLOCK_DOWNLOAD, true);
  const clock = new SystemClock({
    get: () => state.mockSeconds,
    set: (seconds) => {
      state.mockSeconds = seconds;
    },
  });
  log.showMockTime(() => state.mockSeconds);
  const scheduler = new Scheduler();
  teardown.add(() => scheduler.close());

  let rooms: MetricRooms | undefined;
  const { metrics, observe } = createMetrics(() => rooms);

  const pool = new WorkPool({ threads: config.par }, { log });
  teardown.add(() => pool.close());
  const assembler = new PooledAssembler();
  teardown.add(() => assembler.close());
  await pool.start();
  const verifier = new CachedVerifier(
    new PooledVerifier(pool),
    new ScriptCache(config.scriptCacheBytes, crypto.randomBytes(4).readUInt32LE()),
  );
  const grinder = new Grinder(pool);

  // In mode live templates follow each other more quickly than slow readers read them.
  const slabs = new SlabRing(config.templates.mode === 'live' ? liveSlabs : undefined);
  let net: Net | undefined;
  const asmap = readAsmap(config.asmapFile, log);
  const network = createNetworkAccess(config.net, config.deprecatedRpc, () => net);
  const log0 = createLogControl(log, state);

  // HTTP opens before the chain is loaded and answers -28 until then, as Core does.
  let fronts: Fronts | undefined;
  let running: CallDesk<NodeContext> | undefined;
  let rest: RestDesk | undefined;
  let service: TemplateService | undefined;
  let warmup: string | null = warmupTexts.started;
  const warming = warmupDesk(() => warmup);
  const warm = (text: string | null): void => {
    warmup = text;
    fronts?.setWarmup(text);
    if (text !== null) log.info(`init message: ${text}`);
  };
  const closeFronts = async (): Promise<void> => fronts?.close();
  teardown.add(closeFronts);
  const rpcServer = await openRpcServer(config, {
    params,
    crypto: native,
    state,
    slabs,
    log,
    startedSeconds,
    teardown,
    warmup: () => warmup,
    execute: (body, call, hooks) =>
      rest && call.uri.startsWith(REST_PREFIX) ? rest.executeBody(body, call, hooks) : (running ?? warming).executeBody(body, call, hooks),
    refresh: () => (service ? service.refresh() : Promise.reject(new RpcError(RPC_CODE.IN_WARMUP, warmup ?? ''))),
    onFronts: (server) => {
      fronts = server;
      onFronts(() => server.close(0));
    },
  });

  let alertOperator: (text: string) => void = () => {};
  const blocks = new RecentBlocks();
  warm(warmupTexts.loading);
  const chain = await Chain.open(chainOptions(config, params, rebuild.scan), {
    params,
    store,
    openFiles: (known) =>
      BlockFiles.open({ dir: config.blocksDir, magic: params.magic, ...known, ...fileSizes(config) }, { hashes: native }),
    verifier,
    coinScanner: new PooledCoinScanner(pool),
    crypto: native,
    clock,
    log,
    stopping: stopping.signal,
    onFault: (fault) => {
      log.error(`${fault.message}. The node stops; what was acknowledged is on disk.`);
      alertOperator(fault.message);
      askStop(fault);
    },
    observe: (name, seconds) => {
      const phase = name.replace('connect_', '');
      observe.blockConnect(phase, seconds);
      blocks.phase(phase, seconds);
    },
  });
  teardown.add(() => chain.close());
  // Nothing is pruned before indexes and wallets can say what they still need.
  const keepAll = chain.guardBlocks(() => 0);
  const indexes = new Indexes(config.indexes, { chain, store, hashes: native, clock, log, onFault: (fault) => askStop(fault) });
  teardown.add(() => indexes.stop());

  const poolFiles = new PoolFiles({ dir: config.netDir, hashes: native, clock, log });
  if (!rebuild.scan) {
    warm(warmupTexts.verifying);
    await checkStoredBlocks(chain, config, log);
  }

  const mempool = new Mempool(mempoolOptions(config, params), {
    chain,
    verifier,
    clock,
    log,
    fees: await poolFiles.loadFees(),
    blocksAreCurrent: () => blocksAreCurrent(chain, clock),
  });
  teardown.add(() => poolFiles.close(mempool, config.persistMempool));
  mempool.onCounter((counter) => {
    state.mempoolCounter = counter;
    state.noteChange();
  });

  const templates = new TemplateService(config.templates, {
    chain,
    mempool,
    assembler,
    slabs,
    clock,
    hashes: native,
    versionBits: chain.versionBits,
    log,
    epoch: () => state.epoch,
    wanted: () => state.has(STATE_FLAG.TEST_CHAIN) || !state.has(STATE_FLAG.INITIAL_BLOCK_DOWNLOAD),
    observe: (name, seconds) => {
      if (name === 'template_build') observe.templateBuild(seconds);
      else if (name === 'tip_to_template') {
        observe.tipToTemplate(seconds);
        net?.times.reached(chain.tip.hash, 'template');
      }
    },
  });
  teardown.add(() => templates.close());
  const templateAccess = createTemplateAccess({ chain, templates, slabs, state, log, stopping: stopping.signal });

  const sv2: Sv2 | null =
    config.sv2 &&
    createSv2(config.sv2, {
      ...config.templates,
      netDir: config.netDir,
      chain,
      mempool,
      templates,
      hashes: native,
      keys: keyMath,
      clock,
      log,
      wanted: () => state.has(STATE_FLAG.TEST_CHAIN) || !chain.isInitialBlockDownload(),
    });
  const jobs = new JobPins();
  chain.onTip((tip) => jobs.expire(clock.nowSeconds(), tip.height));

  const newestBlock = new NewestBlock();
  const showDownload = (): void => state.set(STATE_FLAG.INITIAL_BLOCK_DOWNLOAD, chain.isInitialBlockDownload());
  showDownload();
  const publisher = new TipPublisher(() => {
    fronts?.publishTip(snapshotOf(chain.tip));
    state.raiseEpoch();
    templateAccess.onTip(chain.tip.hashHex);
  });
  teardown.add(() => publisher.close());
  chain.onRest(() => publisher.rest());
  // One change of the tip, everywhere, in this order and in one go; the chain calls it before it answers whoever
  // brought the block.
  chain.onTip((tip, change) => {
    // Taking thousands of transactions out of the mempool may come last where some are sure to be left: the template
    // without transactions, and the fronts, need to know no more than that.
    const outlasts = mempool.outlasts(change);
    if (!outlasts) mempool.onTip(tip, change);
    if (change.moreFollows !== true) sv2?.onTip();
    templates.onTip();
    showDownload();
    publisher.changed(change.moreFollows === true);
    if (outlasts) mempool.onTip(tip, change);
    const newest = change.connected.at(-1);
    if (newest) {
      newestBlock.joined(newest);
      const { node, block, fees } = newest;
      const { weight, header } = block;
      blocks.add({ height: node.height, hash: node.hashHex, time: header.time, transactions: block.txs.length, weight, fees });
    }
    for (const { node } of change.disconnected) blocks.remove(node.hashHex);
    if (config.stopAtHeight > 0 && tip.height >= config.stopAtHeight && !stopping.signal.aborted) {
      log.info(`Stopping at height ${tip.height}, as -stopatheight asks`);
      beginStop();
      askStop();
    }
  });
  chain.onChecked((_hash, _block, reject) => observe.submitted(reject === null ? 'connected' : reject.reason));

  const { descriptors: language, hardenedMark: inferredMark } = config.compat;
  const descriptors: DescriptorContext = { params, hashes: native, keys: keyMath, language, inferredMark };
  const signer = createSigner();
  const signingThreads = new PooledSigner({ pool, crypto: native, signer });
  const client = new InlineNodeClient({
    chain,
    mempool,
    crypto: native,
    scanner: new PooledBlockScanner(pool, chain.blockFolder),
    signing: pool,
    filters: indexes.filters?.index ?? null,
    mostRelatives: { ancestors: config.mempool.limitAncestorCount, descendants: config.mempool.limitDescendantCount },
  });
  const { jsonRpc2: version2, workQueue: calls = HTTP_DEFAULTS.workQueue } = config.rpc;
  const wallets = config.wallet.enabled
    ? new WalletThread(
        { options: config.wallet, compat: config.compat, params, settingsFile: config.settingsFile, version2, state: state.buffer },
        {
          client,
          log,
          stopping: stopping.signal,
          bounds: { calls, bytes: Number.POSITIVE_INFINITY },
          onCall: observe.rpc,
          onFault: askStop,
        },
      )
    : null;
  guardReaders(chain, indexes);
  if (wallets) {
    warm(warmupTexts.wallets);
    teardown.add(() => wallets.close());
    await wallets.load();
  }

  keepAll();
  if (!rebuild.scan) await pruneAtStart(chain, log);
  const notifications = await startNotifications(config.notify, { chain, mempool, log });
  teardown.add(() => notifications.close());
  alertOperator = notifications.alert;
  const ruleWatch = new RuleWatch(chain, log, (text) => alertOperator(text), follows(config.compat, 22) ? 'Unknown' : 'Warning: unknown');
  chain.onTip(() => ruleWatch.onTip());
  chain.onTip(() => state.noteChange());
  chain.onHeader(() => state.noteChange());
  const active = new ActiveCommands();
  const { signerCommand } = config.wallet;
  const context: NodeContext = {
    compat: config.compat,
    deprecated: config.deprecatedRpc,
    folder: config.netDir,
    zmq: notifications.zmq,
    params,
    crypto: native,
    clock: {
      nowSeconds: () => clock.nowSeconds(),
      nowMs: () => clock.nowMs(),
      monotonicMs: () => clock.monotonicMs(),
      setMockTime: (seconds) => {
        clock.setMockTime(seconds);
        showDownload();
        net?.timeMoved();
      },
      advanceScheduler: (seconds) => {
        scheduler.advance(seconds);
        wallets?.advance(seconds);
      },
    },
    chain,
    mempool,
    savePool: () => poolFiles.save(mempool),
    importPool: (file, options) => poolFiles.import(mempool, file, options, stopping.signal),
    readAsmap: async () => (config.asmapFile === undefined ? null : fs.readFile(config.asmapFile)),
    ...indexAccess(indexes, (scripts) => pooledFilterSearch(pool, scripts)),
    templates: templateAccess,
    jobs,
    sv2,
    heavy: new Semaphore(HEAVY_CALLS),
    grinder,
    network,
    log: log0,
    descriptors,
    recoverable: keyMath,
    signer,
    signingThreads,
    ...(signerCommand && { externalSigner: new ExternalSigner(signerCommand, params.name, createRunForJson(stopping.signal)) }),
    passOn: wallets && passingOn(wallets.link),
    settle: () => (mempool.returning || !indexes.settled ? mempool.settled().then(() => indexes.settle()) : undefined),
    warnings: () => [ruleWatch.text, net?.clockCheck.warning ?? ''].filter((text) => text !== ''),
    stop: (waitMs) => setTimeout(() => askStop(), waitMs),
    stopping: stopping.signal,
    activeCommands: async () => [...active.list(), ...((await wallets?.activeCommands()) ?? [])],
    startedSeconds,
  };
  running = new CallDesk(context, {
    runs: NODE_RUNS,
    lookAhead,
    wallets: wallets !== null,
    requests: { version2: config.rpc.jsonRpc2 },
    active,
    warmup: () => null,
    onStart: (method, user) => log.debug('rpc', `ThreadRPCServer method=${method} user=${user}`),
    onCall: (method, seconds, code) => {
      if (METHODS.get(method)?.repeatable !== true) state.noteChange();
      observe.rpc(method, seconds, code === 0);
    },
    onFault: (method, error) => log.error(`${method} failed: ${error instanceof Error ? error.stack : String(error)}`),
  });
  rest = new RestDesk(context, {
    onCall: (endpoint, seconds, status) => observe.rpc(`rest/${endpoint}`, seconds, status === 200),
    onFault: (endpoint, error) => log.error(`rest/${endpoint} failed: ${error instanceof Error ? error.stack : String(error)}`),
  });
  service = templates;
  templates.onPublish((facts) => {
    state.noteChange();
    fronts?.publishTemplate(facts);
  });
  // Calls under way use everything that was built since the fronts were.
  teardown.add(closeFronts);
  if (sv2 !== null) teardown.add(() => sv2.close());

  // After the listeners above: an index is never told of a block before the mempool and the fronts were.
  indexes.start();
  const progress = new SyncProgress({
    params,
    downloading: () => chain.isInitialBlockDownload(),
    height: () => chain.tip.height,
    bestHeader: () => chain.bestHeader,
    presync: () => net?.presyncPlace ?? null,
    verificationProgress: () => chain.verificationProgress(chain.tip),
    nowMs: () => clock.nowMs(),
  });
  scheduler.every(syncLineMs, () => {
    const line = progress.tick();
    if (line !== null) log.info(line);
  });
  rooms = {
    config,
    chain,
    mempool,
    templates,
    verifier,
    network,
    net: () => net,
    progress,
    engine: store.engine,
    sv2,
    backend: native.backend,
    startedSeconds,
    fronts: () => fronts,
    warnings: context.warnings,
    latest: () => newestBlock.figures,
  };
  if (config.metrics.port !== undefined) {
    const seen = { ...rooms, slabs, blocks, scriptThreads: pool.size };
    await serveStatus({ ...config.metrics, port: config.metrics.port }, { metrics, seen, log, teardown });
  }
  scheduler.every(hourMs, () => {
    if (!stopping.signal.aborted) chain.flush().catch((error: Error) => log.error(`flush: ${error.message}`));
  });

  fronts?.publishTip(snapshotOf(chain.tip));
  state.raiseEpoch();
  log.info(
    `Loaded best chain: hashBestChain=${chain.tip.hashHex} height=${chain.tip.height} date=${new Date(chain.tip.time * 1000).toISOString().slice(0, 19)}Z progress=${chain.verificationProgress(chain.tip).toFixed(6)}`,
  );
  warm(warmupTexts.network);
  const peers = new Net(config.net, {
    params,
    chain,
    mempool,
    crypto: native,
    ellSwift: config.net.v2Transport ? createEllSwift(native) : null,
    clock: {
      nowSeconds: () => clock.nowSeconds(),
      nowMs: () => (state.mockSeconds === 0 ? clock.nowMs() : state.mockSeconds * 1000),
      realSeconds: () => Math.floor(clock.nowMs() / 1000),
    },
    log,
    filters: indexes.filters?.index ?? null,
    banFile: path.join(config.netDir, 'banlist.json'),
    peersFile: path.join(config.netDir, 'peers.dat'),
    anchorsFile: path.join(config.netDir, 'anchors.json'),
    asmap,
    onionKeyFile: path.join(config.netDir, 'onion_v3_private_key'),
    observeBlock: observe.announcedBlock,
  });
  net = peers;
  peers.onConnections = (count) => {
    state.connections = count;
    state.noteChange();
  };
  peers.onStep = () => state.noteChange();
  scheduler.every(unbroadcastMs, () => peers.announceUnbroadcast());
  scheduler.every(PRIVATE_RETRY_MS, () => {
    peers.privately.retry().catch((error: Error) => log.warn(`Sending transactions privately: ${error.message}`));
  });
  teardown.add(() => peers.stop());
  await peers.listen().catch((error: Error) => {
    throw error instanceof BindError ? new ConfigError(error.message) : error;
  });
  await sv2?.listen();
  if (wallets) fronts?.linkWallets((front, link) => wallets.connect(front, link));
  // Whose calls are answered may connect at once.
  warm(null);
  // Returned first, so that signals and the stop call are heard while this goes on.
  const loading = loadBlocks(
    { scan: rebuild.scan ? rebuild.note : null, files: config.loadBlockFiles },
    { chain, store, log, stopping: stopping.signal },
  )
    .then(async () => {
      showDownload();
      if (stopping.signal.aborted) return;
      await sv2?.start();
      if (stopping.signal.aborted) return;
      if (config.persistMempool) void poolFiles.load(mempool, stopping.signal);
      else mempool.loaded = true;
      templates.start();
      peers.start();
      log.info(`Done loading: height ${chain.tip.height}, tip ${chain.tip.hashHex}`);
      notifications.started();
    })
    .catch((error: Error) => {
      if (chain.fault === null) log.error(`Loading blocks: ${error.message}`);
      askStop(error);
    });
  teardown.add(() => loading);

  let stopped: Promise<void> | undefined;
  const stop = async (): Promise<void> => {
    log.info('Shutdown: In progress...');
    fronts?.stopAccepting();
    beginStop();
    mempool.bumpCounter();
    const failure = await teardown.run();
    if (failure) log.error(`Shutdown: ${failure.message}`);
  };
  return {
    chain,
    mempool,
    addresses: rpcServer.addresses,
    stopAsked,
    stop: () => {
      stopped ??= stop();
      return stopped;
    },
  };
}
