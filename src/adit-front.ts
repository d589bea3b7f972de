// Entry of adit-front: a process of fronts without a node. Reads the options, opens the RPC port, and closes it on a
// signal. Its threads are those of aditd; the nodes of a fleet replace the node (src/fleet/follow).
import {
  type Args,
  ConfigError,
  describeFlags,
  type FrontConfig,
  frontFlags,
  frontUsage,
  loadFrontConfig,
  parseFrontArgs,
  versionText,
} from './config/index.js';
import { parseHeader } from './consensus/block/header-view.js';
import { hashToHex } from './consensus/bytes/hex.js';
import { createNativeCrypto } from './crypto/native/index.js';
import { FleetSource, fleetPage } from './fleet/follow/index.js';
import { createFronts, type Fronts } from './http/server.js';
import { outliveConsole } from './lib/console.js';
import { ListenerGuard } from './lib/listener-guard.js';
import { threadsLoaded } from './lib/loading-threads.js';
import { SharedState, STATE_FLAG } from './link/shared-state.js';
import { SlabRing } from './link/slab-ring.js';
import { createLogger, logNotes, type NodeLogger } from './log/create-logger.js';
import { htmlPage, livePage, logMetricFaults, type MetricsServer, serveMetrics } from './metrics/index.js';
import { createFrontMetrics } from './node/fleet-metrics.js';
import { answerFrontCalls } from './node/front-calls.js';
import { type FrontStratum, openFrontStratum } from './node/front-stratum.js';
import { type FrontSv2, openFrontSv2 } from './node/front-sv2.js';
import { httpOptions } from './node/http-options.js';
import { networkParams } from './node/network-params.js';
import { logAddresses } from './node/rpc-server.js';
import { stratumOf, workersOf } from './node/stratum-status.js';
import { difficultyOf } from './rpc/render/difficulty.js';

/** Number of slabs: templates that slow readers may still be reading. */
const slabCount = 16;
/** Milliseconds for closing sockets after a fault. */
const lastWordsMs = 4_000;

function refuse(message: string): never {
  process.stderr.write(`Error: ${message}\n`);
  process.exit(1);
}

const explain = (error: unknown): string =>
  error instanceof ConfigError || (error instanceof Error && 'code' in error && typeof error.code === 'string')
    ? error.message
    : error instanceof Error
      ? (error.stack ?? error.message)
      : String(error);

async function run(config: FrontConfig, log: NodeLogger): Promise<void> {
  const { fleet, rpc } = config;
  const signalled = new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => resolve());
  });
  process.on('SIGPIPE', () => {});
  process.on('SIGHUP', new ListenerGuard(log).wrap('SIGHUP', log.reopen));
  log.info(`adit front version ${versionText()}, ${config.chain}, Node ${process.version}`);
  logNotes(config.notes, log);

  const native = createNativeCrypto();
  const params = networkParams(config, native);
  const genesis = parseHeader(params.genesis.subarray(0, 80), native);
  const state = new SharedState();
  const startedSeconds = Math.floor(Date.now() / 1000);
  state.startedMs = startedSeconds * 1000;
  state.set(STATE_FLAG.TEST_CHAIN, config.chain !== 'main');
  state.set(STATE_FLAG.NETWORK, true);
  const slabs = new SlabRing(slabCount);
  let fronts: Fronts | undefined;
  let sv2: FrontSv2 | undefined;
  let stratum: FrontStratum | undefined;
  const source = new FleetSource(
    {
      ...fleet,
      chain: config.chain,
      nodes: fleet.nodes.map(({ name, keyHex }) => ({ name, publicKey: new Uint8Array(Buffer.from(keyHex, 'hex')) })),
    },
    {
      state,
      slabs,
      log,
      hashes: native,
      powLimit: params.powLimit,
      onTemplate: (facts, transactions) => {
        stratum?.template(facts, transactions);
        sv2?.template(facts, transactions);
      },
      onReady: () => fronts?.setWarmup(null),
    },
  );
  const options = httpOptions(config, params.rpcPort, undefined, (line) => log.warn(line));
  fronts = await createFronts(options, {
    execute: answerFrontCalls(config, () => stratum, source.execute, log),
    templates: { current: () => null, onPublish: () => {}, refresh: () => source.refresh() },
    state,
    slabs,
    params,
    logger: log,
    startedSeconds,
    tip: {
      height: 0,
      hashHex: hashToHex(genesis.hash),
      difficulty: difficultyOf(genesis.bits),
      chainWorkHex: '0'.repeat(64),
    },
    warmup: 'Waiting for a node of the fleet…',
  });
  const { close } = fronts;
  const dying = (error: unknown): void => {
    log.fatal(`Unexpected error, the front stops: ${explain(error)}`);
    process.exitCode = 1;
    const late = new Promise((resolve) => setTimeout(resolve, lastWordsMs));
    void Promise.race([close.call(fronts, 0), late]).then(() => process.exit(1));
  };
  process.once('uncaughtException', dying);
  process.once('unhandledRejection', dying);
  let status: MetricsServer | undefined;
  try {
    if (config.sv2 !== null) {
      sv2 = await openFrontSv2(config.sv2, {
        ...config.templates,
        params,
        log,
        nowSeconds: () => state.nowSeconds(),
        submit: (block, user) => source.submitBlock(block, user),
      });
    }
    if (config.stratum !== null) {
      stratum = await openFrontStratum(config.stratum, {
        ...config.templates,
        network: config.chain,
        params,
        hashes: native,
        log,
        nowSeconds: () => state.nowSeconds(),
        submit: (block, user) => source.submitBlock(block, user),
        publishShares: fleet.shares ? (records) => source.publishShares(records) : null,
      });
    }
    if (config.metrics.port !== undefined) status = await openMetrics(config, source, fronts, { sv2, stratum }, log);
    logAddresses(rpc, fronts, log);
    await Promise.race([source.start(fronts), signalled]);
    await signalled;
  } finally {
    log.info('Shutdown: In progress...');
    await sv2?.close();
    await stratum?.close();
    // Finish calls in progress while the connection to the nodes still exists.
    await fronts.close();
    await status?.close();
    await source.stop();
  }
}

/** Starts the metrics server. @throws ConfigError if it cannot listen */
async function openMetrics(
  { metrics: { port = 0, host, names } }: FrontConfig,
  source: FleetSource,
  fronts: Fronts,
  { sv2, stratum }: { readonly sv2: FrontSv2 | undefined; readonly stratum: FrontStratum | undefined },
  log: NodeLogger,
) {
  const metrics = createFrontMetrics({
    http: () => fronts.stats(),
    fleet: () => source.figures(),
    sv2: () => sv2?.measures(),
    stratum: () => stratum?.measures(),
    onFault: logMetricFaults(log),
  });
  const miners = stratum ?? null;
  const pages = new Map([
    ['/', htmlPage(() => fleetPage(source.figures(), fronts.stats().waiters, stratumOf(miners)))],
    ['/workers', livePage((query) => workersOf(miners, query.get('address') ?? ''))],
  ]);
  const server = await serveMetrics(metrics, { port, host, names }, pages).catch((error: NodeJS.ErrnoException) => {
    throw new ConfigError(`Unable to serve metrics on ${host}:${port} (${error.code}); choose another -metricsport.`);
  });
  log.info(`Metrics on ${host}:${server.port}`);
  return server;
}

async function main(): Promise<void> {
  outliveConsole();
  let args: Args;
  let config: FrontConfig;
  let log: NodeLogger;
  try {
    args = parseFrontArgs(process.argv.slice(2));
    if (args.bool('version', false)) {
      process.stdout.write(`adit front version ${versionText()}\n`);
      return;
    }
    if (['?', 'h', 'help'].some((name) => args.isSet(name))) {
      process.stdout.write(`${describeFlags(frontUsage, frontFlags).join('\n')}\n`);
      return;
    }
    config = loadFrontConfig(args);
    for (const warning of args.loudWarnings) process.stderr.write(`Warning: ${warning}\n`);
    log = createLogger(config.log);
  } catch (error) {
    refuse(explain(error));
  }
  try {
    await run(config, log);
    log.info('Shutdown: done');
    log.close();
  } catch (error) {
    log.fatal(explain(error));
    log.close();
    await threadsLoaded();
    process.exit(1);
  }
}

main().then(async () => {
  await threadsLoaded();
  process.exit();
});
