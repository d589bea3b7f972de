// Reads argv and bitcoin.conf into one plain record with a part for each module. Reports invalid options before
// anything is opened, in Core's words where Core has some. Modules declare their options as rows; this file resolves
// file names and dependencies between options.

import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { CHAIN_ROWS } from '../chain/options.js';
import type { ChainName } from '../consensus/params/chain-params.js';
import { chainParams } from '../consensus/params/networks.js';
import { INDEX_ROWS, type IndexOptions } from '../indexes/options.js';
import type { LogOptions } from '../log/create-logger.js';
import { MEMPOOL_ROWS, type MempoolOptions } from '../mempool/options.js';
import { METRICS_ROWS } from '../metrics/options.js';
import { type NetOptions, PEER_ROWS } from '../net/options-face.js';
import type { ZmqEndpoint } from '../notify/index.js';
import { NOTIFY_ROWS, zmqRows, zmqTopics } from '../notify/options.js';
import { type Compat, follows, only } from '../policy/compat.js';
import { POLICY_ROWS } from '../policy/option-rows.js';
import type { PolicyOptions } from '../policy/options.js';
import { TEMPLATE_ROWS, type TemplateOptions } from '../template/options.js';
import type { WalletOptions } from '../wallet/options-face.js';
import { Args, ConfigError } from './args.js';
import { type ChosenRules, chosenRules } from './chosen-rules.js';
import { flagByName } from './flags.js';
import { type FleetConfig, fleetOptions } from './fleet-options.js';
import { chainFolders, compatOption, defaultDataDir, locate, refuseIgnoredConf, refuseMisplaced, requireFolder } from './locate.js';
import { logOptions } from './log-options.js';
import { networkOptions } from './network-options.js';
import { DEPRECATED_RPC, OWN_ROWS } from './own-rows.js';
import { type PruneOption, pruneOption } from './prune-option.js';
import { type RowValues, readRows } from './rows.js';
import { type CookieConfig, cookieOptions, type RpcConfig, rpcOptions } from './rpc-options.js';
import { readSettings } from './settings-file.js';
import { type StratumConfig, stratumOptions } from './stratum-options.js';
import { type Sv2Config, sv2Options } from './sv2-options.js';
import { templateWeights } from './template-weights.js';
import { walletOptions } from './wallet-options.js';

/** Configuration of the daemon. Sizes are in bytes, fee rates in satoshis per 1,000 virtual bytes, times in seconds. */
export interface NodeConfig extends RowValues<typeof CHAIN_ROWS>, ChosenRules, CookieConfig {
  readonly chain: ChainName;
  /** Release of Bitcoin Core that the node follows. */
  readonly compat: Compat;
  /** Folder of -datadir, and the folder of the network in it. */
  readonly baseDir: string;
  readonly netDir: string;
  readonly blocksDir: string;
  /** File of the process id; undefined with -nopid. */
  readonly pidFile: string | undefined;
  /** Path of settings.json, in which RPC calls store options for the next start; undefined with -nosettings. */
  readonly settingsFile: string | undefined;
  /** Limits of -prune; null: blocks are not pruned. */
  readonly prune: PruneOption | null;
  readonly indexes: IndexOptions;
  readonly mockTime: number;
  /** `ips`: whether lines about peers show their addresses. */
  readonly log: LogOptions & { readonly ips: boolean };
  readonly announce: boolean;
  /** -daemon and -daemonwait; null: run in the foreground. `untilReady`: the command returns when the node is ready. */
  readonly background: { readonly untilReady: boolean } | null;
  readonly templates: TemplateOptions;
  readonly policy: PolicyOptions;
  readonly mempool: Omit<MempoolOptions, 'policy' | 'limitLegacySigops' | 'segmentBytes'>;
  /** True if the mempool is saved at the end and loaded at the start (-persistmempool). */
  readonly persistMempool: boolean;
  /** True to read fee estimates of any age. */
  readonly acceptStaleFees: boolean;
  readonly warmUp: boolean;
  readonly rpc: RpcConfig;
  /** Options of the Stratum V2 template provider; null without -sv2. */
  readonly sv2: Sv2Config | null;
  /** Options of the Stratum V1 server; null without -stratum. */
  readonly stratum: StratumConfig | null;
  /** Options of the fleet; null without -fleet. */
  readonly fleet: FleetConfig | null;
  readonly wallet: WalletOptions;
  readonly net: Partial<NetOptions>;
  /** File of -asmap; undefined: addresses are grouped by prefix. */
  readonly asmapFile: string | undefined;
  /** Values of -deprecatedrpc: old members and behaviour of methods. */
  readonly deprecatedRpc: ReadonlySet<string>;
  readonly notify: RowValues<typeof NOTIFY_ROWS> & { readonly zmq: readonly ZmqEndpoint[] };
  readonly metrics: RowValues<typeof METRICS_ROWS>;
  /** Lines to log when the log is open. */
  readonly notes: readonly string[];
}

/** Options whose values must not be logged. */
const secretOptions = new Set(['fleet', 'rpcauth', 'rpcbind', 'rpcpassword', 'rpcuser', 'rpcwhitelist', 'torpassword']);

/**
 * Largest number of script threads: Core's limit for -par, 15 threads besides the main one. The scripts of an input
 * that is not in the script cache take about six times as long as the node thread's work for it, so the seventh thread
 * and later ones wait for the node thread.
 */
const maxScriptThreads = 16;
/** The release of Core that removed its checkpoints. */
const CHECKPOINTS_REMOVED = 30;
/** The release of Core that relays only standard transactions on testnet3 as well. */
const TESTNET3_STANDARD = 27;
/** Values of -test that Core accepts. In adit only bip94 has an effect. */
const TEST_OPTIONS: readonly string[] = ['addrman', 'reindex_after_failure_noninteractive_yes', 'bip94'];

/** Parses the command line, which decides between help, version, and a start. */
export function parseArgs(argv: readonly string[]): Args {
  const args = new Args();
  args.parseCommandLine(argv);
  return args;
}

const ASSUME_VALID_WORDS = { old: 'assume valid block', now: 'assumevalid block hash', hint: ' (or 0 to disable)' };
const MINIMUM_WORK_WORDS = { old: 'minimum chain work value', now: 'minimum work', hint: '' };

function hexOption(
  text: string | undefined,
  compat: Compat,
  { old, now, hint }: { old: string; now: string; hint: string },
): string | undefined {
  if (text === undefined) return undefined;
  const digits = text.replace(/^0x/, '');
  if (!/^[0-9a-fA-F]*$/.test(digits) || digits.length > 64) {
    throw new ConfigError(
      follows(compat, 28)
        ? `Invalid ${now} specified (${text}), must be up to 64 hex digits${hint}`
        : `Invalid non-hex (${text}) ${old} specified`,
    );
  }
  return digits.toLowerCase().padStart(64, '0');
}

/**
 * Returns whether -blockfilterindex enables the basic filter, the only type there is.
 * @throws ConfigError for another type
 */
function filterIndex(asked: readonly string[]): boolean {
  if (asked.some((value) => value === '' || value === '1')) return true;
  const wrong = asked.find((value) => value !== '0' && value !== 'basic');
  if (wrong !== undefined) throw new ConfigError(`Unknown -blockfilterindex value ${wrong}.`);
  return asked.includes('basic');
}

/** Default size of the mempool with -blocksonly (Core since release 25). */
const BLOCKS_ONLY_BYTES = 5_000_000;

/** Reads the limits of the mempool. Without cluster rules a cluster limit of 0, also the default then, means no limit. */
function mempoolRows(args: Args, compat: Compat): RowValues<typeof MEMPOOL_ROWS> {
  const given = readRows(args, MEMPOOL_ROWS, compat);
  const small = args.bool('blocksonly', false) && !args.isSet('maxmempool') && follows(compat, 25);
  const cluster = (limit: number): number => (compat.policy.rules.clusters ? limit : limit || Number.POSITIVE_INFINITY);
  return {
    ...given,
    maxUsageBytes: small ? BLOCKS_ONLY_BYTES : given.maxUsageBytes,
    limitClusterCount: cluster(given.limitClusterCount),
    limitClusterSize: cluster(given.limitClusterSize),
  };
}

function scriptThreads(asked: number): number {
  const cores = os.availableParallelism();
  return Math.max(1, Math.min(asked > 0 ? asked : cores + asked, maxScriptThreads));
}

/**
 * Returns the file of -asmap. Without a file name Core 31 uses a map in its binary. adit has no such map, and uses the
 * default file of 0.21.1 instead.
 */
function asmapFile(args: Args, file: string, netDir: string, compat: Compat): string | undefined {
  if (!args.isSet('asmap') || args.isNegated('asmap')) return undefined;
  const isSwitch = only(compat, 31) ? args.bool('asmap', false) : follows(compat, 31) && ['', '1'].includes(args.text('asmap') as string);
  const place = path.resolve(netDir, isSwitch ? PEER_ROWS.asmap[3] : file);
  if (isSwitch && (only(compat, 31) || !fs.existsSync(place))) {
    throw new ConfigError(
      `Embedded asmap data not available. Set a file name: -asmap=<file>${only(compat, 31) ? '' : `, or put it at ${place}`}.`,
    );
  }
  return place;
}

/** Returns the options that were given, one line each as Core logs them. Secrets are replaced by stars. */
function argumentLines(args: Args): string[] {
  const lines: string[] = [];
  for (const [name, json] of args.settings) lines.push(`Setting file arg: ${name} = ${secretOptions.has(name) ? '****' : json}`);
  for (const { source, section, name, values } of args.everything()) {
    for (const value of values) {
      const shown = value === false ? 'false' : secretOptions.has(name) ? '****' : JSON.stringify(value);
      if (flagByName.has(name)) lines.push(`${source} arg: ${section === '' ? '' : `[${section}] `}${name}=${shown}`);
    }
  }
  return lines;
}

function webUrl(text: string): string {
  let url: URL | undefined;
  try {
    url = new URL(text);
  } catch {
    // The text is not a URL: `url` stays undefined, and the check below throws.
  }
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:')
    throw new ConfigError(`-notifyurl must be an http or https URL, not '${text}'`);
  return text;
}

/** @throws ConfigError in Core's words if the entry `wallet` of settings.json has anything but texts */
function requireWalletNames(entry: unknown): void {
  const names = entry === false ? [] : Array.isArray(entry) ? entry : [entry];
  if (names.some((name) => typeof name !== 'string'))
    throw new ConfigError(
      "Invalid value detected for '-wallet' or '-nowallet'. '-wallet' requires a string value, while '-nowallet' accepts only '1' to disable all wallets",
    );
}

/**
 * Reads the configuration.
 * @param prepare creates the folders before the first file in them is read
 * @throws ConfigError with the text for the operator
 */
export function loadConfig(args: Args, prepare: (netDir: string, blocksDir: string) => void = () => {}): NodeConfig {
  const { baseDir, firstDir, chain, netDir } = locate(args, true);
  const compat = compatOption(args);
  refuseMisplaced(args, chain, compat);
  if (follows(compat, 25)) refuseIgnoredConf(args, baseDir, firstDir);
  const blocksBase = args.isNegated('blocksdir') ? '' : args.text('blocksdir');
  if (blocksBase !== undefined) requireFolder(blocksBase && path.resolve(blocksBase), 'blocks');
  const blocksDir =
    blocksBase === undefined ? path.join(netDir, 'blocks') : path.join(path.resolve(blocksBase), chainFolders[chain], 'blocks');
  prepare(netDir, blocksDir);
  const settingsFile = args.isNegated('settings') ? undefined : path.resolve(netDir, args.text('settings') || OWN_ROWS.settings[3]);
  if (settingsFile !== undefined) {
    for (const [name, { values, json }] of readSettings(settingsFile)) {
      if (name === 'wallet' && follows(compat, 29) && !args.bool('disablewallet', false)) requireWalletNames(JSON.parse(json));
      if (!args.giveSetting(name, values, json)) args.warnings.push(`Ignoring unknown rw_settings value ${name}`);
    }
  }
  for (const name of ['segwitheight', 'testactivationheight', 'vbparams', 'blockversion'])
    if (args.isSet(name) && chain !== 'regtest') args.warnings.push(`-${name} is for regtest only and was ignored`);
  for (const name of ['testactivationheight', 'vbparams']) {
    if (args.isSet(name) && chain === 'main' && follows(compat, 28))
      throw new ConfigError(`The -${name} option may not be used on mainnet.`);
  }
  if (chain === 'signet' && args.list('signetchallenge').length > 1) throw new ConfigError('-signetchallenge cannot be multiple values.');
  const checkpointsGone = only(compat, CHECKPOINTS_REMOVED);
  if (checkpointsGone && args.isSet('checkpoints'))
    args.loudWarnings.push("Option '-checkpoints' is set but checkpoints were removed. This option has no effect.");
  const defaults = compat.policy;
  const { rules } = defaults;
  const own = readRows(args, OWN_ROWS, compat);
  for (const option of own.testOptions)
    if (!TEST_OPTIONS.includes(option)) args.loudWarnings.push(`Unrecognised option "${option}" provided in -test=<option>.`);
  const chainRows = readRows(args, CHAIN_ROWS, compat);
  const { acceptNonStandard, ...policyRows } = readRows(args, POLICY_ROWS, compat);
  const mempool = mempoolRows(args, compat);
  const templates = readRows(args, TEMPLATE_ROWS, compat);
  if (acceptNonStandard && chain === 'main') throw new ConfigError('acceptnonstdtxn is not currently supported for main chain');
  const policy = {
    ...rules,
    ...policyRows,
    requireStandard: !(acceptNonStandard ?? (chain === 'test' && !follows(compat, TESTNET3_STANDARD))),
    // A higher increment also raises the minimum, as in Core's init.
    minRelayFeeRate: args.isSet('minrelaytxfee')
      ? policyRows.minRelayFeeRate
      : Math.max(policyRows.minRelayFeeRate, policyRows.incrementalFeeRate),
  };
  const largestFamily = rules.clusters ? mempool.limitClusterSize : mempool.limitDescendantSize;
  // Core accepts 0 since release 28: the mempool then keeps no transaction.
  const { maxUsageBytes } = mempool;
  if (maxUsageBytes < largestFamily * 40 && !(maxUsageBytes === 0 && follows(compat, 28))) {
    throw new ConfigError(`-maxmempool must be at least ${Math.ceil((largestFamily * 40) / 1_000_000)} MB`);
  }
  // Core parses the count as unsigned, so a negative count is too large.
  if (rules.clusters && (mempool.limitClusterCount > 64 || mempool.limitClusterCount < 0))
    throw new ConfigError('limitclustercount must be less than or equal to 64');
  const { mode: templateMode } = templates;
  if (templateMode !== 'core' && templateMode !== 'live')
    throw new ConfigError(`-templatemode must be core or live, not '${templateMode}'.`);
  const weights = templateWeights(templates, compat);
  if (own.acceptStaleFees && chain !== 'regtest') throw new ConfigError(`acceptstalefeeestimates is not supported on ${chain} chain.`);
  const { mockTime = 0 } = own;
  if (mockTime < 0) throw new ConfigError(`Mocktime can not be negative: ${mockTime}.`);
  const confFile = path.resolve(baseDir, own.conf);
  const places = [
    `Default data directory ${defaultDataDir()}`,
    `Using data directory ${netDir}`,
    args.isNegated('conf')
      ? 'Config file: <disabled>'
      : `Config file: ${confFile}${fs.existsSync(confFile) ? '' : ' (not found, skipping)'}`,
  ];
  const indexRows = readRows(args, INDEX_ROWS, compat);
  const indexes = { ...indexRows, filters: filterIndex(indexRows.filters) };
  const pruning = pruneOption(chainRows, indexes, compat);
  const { fileName, ...logGiven } = logOptions(args, compat);
  const deprecatedRpc = new Set(own.deprecatedRpc);
  for (const value of deprecatedRpc) {
    if (!DEPRECATED_RPC.includes(value))
      args.loudWarnings.push(`-deprecatedrpc=${value} has no effect. adit knows ${DEPRECATED_RPC.join(', ')}.`);
  }
  const rpc = rpcOptions(args, baseDir, compat);
  const { asmap } = readRows(args, PEER_ROWS, compat);
  const net = networkOptions(args, chainParams(chain).p2pPort, {
    compat,
    pruned: pruning.prune !== null,
    hasFilters: indexes.filters,
    logIps: logGiven.ips,
  });
  const notifyRows = readRows(args, NOTIFY_ROWS, compat);
  const prevoutThreads = args.int('prevoutfetchthreads', 0);
  if (prevoutThreads < 0 && follows(compat, 31)) {
    throw new ConfigError(`-prevoutfetchthreads must be non-negative (got ${prevoutThreads}). Use 0 to disable parallel input fetching.`);
  }
  // Collect the notes last, after all code that may add a warning.
  const notes = [
    ...args.warnings,
    ...args.loudWarnings.map((line) => `Warning: ${line}`),
    ...places,
    ...argumentLines(args),
    ...pruning.notes,
    ...weights.notes,
  ];
  for (const flag of flagByName.values()) {
    if (flag.effect === 'none' && args.isSet(flag.name) && args.text(flag.name) !== '0')
      notes.push(`Warning: -${flag.name} is accepted but has no effect in this version`);
  }
  return {
    ...chainRows,
    checkpoints: chainRows.checkpoints && !checkpointsGone,
    ...chosenRules(own, chain, compat),
    ...cookieOptions(args, rpc, netDir),
    chain,
    compat,
    baseDir,
    netDir,
    blocksDir,
    pidFile: args.isNegated('pid') ? undefined : path.resolve(netDir, own.pidFile),
    settingsFile,
    loadBlockFiles: chainRows.loadBlockFiles.map((file) => path.resolve(file)),
    prune: pruning.prune,
    indexes,
    par: scriptThreads(chainRows.par),
    assumeValidHex: hexOption(chainRows.assumeValidHex, compat, ASSUME_VALID_WORDS),
    minimumChainWorkHex: hexOption(chainRows.minimumChainWorkHex, compat, MINIMUM_WORK_WORDS),
    mockTime,
    log: {
      ...logGiven,
      file: args.isNegated('debuglogfile') ? undefined : path.resolve(netDir, fileName),
      echoWarnings: own.announce,
    },
    announce: own.announce,
    background: own.daemon || own.daemonWait ? { untilReady: own.daemonWait } : null,
    templates: {
      ...templates,
      mode: templateMode === 'core' && rules.clusters ? 'chunks' : templateMode,
      maxWeight: weights.maxWeight,
      blockVersion: chain === 'regtest' && templates.blockVersion !== undefined ? blockVersion(templates.blockVersion) : null,
      release: compat.replies.oldest,
      keptBehindClock: !follows(compat, 22),
    },
    policy,
    mempool: {
      ...mempool,
      evictChunks: templateMode === 'live' || rules.clusters,
      replaceByDiagram: templateMode === 'live' || rules.clusters,
    },
    persistMempool: own.persistMempool,
    acceptStaleFees: own.acceptStaleFees,
    warmUp: own.rehearse,
    rpc,
    sv2: sv2Options(args, chain, netDir, compat),
    stratum: stratumOptions(args, baseDir, netDir, compat),
    fleet: fleetOptions(args, baseDir, netDir, rpc.enabled, compat),
    wallet: walletOptions(args, { netDir, compat, deprecatedRpc, blocksOnly: net.blocksOnly, minRelayFeeRate: policy.minRelayFeeRate }),
    asmapFile: asmapFile(args, asmap, netDir, compat),
    deprecatedRpc,
    net,
    notify: { ...notifyRows, urls: notifyRows.urls.map(webUrl), zmq: zmqEndpoints(args, compat) },
    metrics: readRows(args, METRICS_ROWS, compat),
    notes,
  };
}

/** Reads the ZeroMQ options. @throws ConfigError */
function zmqEndpoints(args: Args, compat: Compat): ZmqEndpoint[] {
  const endpoints = zmqTopics.flatMap((topic) => {
    const { addresses, highWaterMark } = readRows(args, zmqRows(topic), compat);
    return addresses.map((address) => ({ topic, address, highWaterMark }));
  });
  const ofShares = endpoints.filter(({ topic }) => topic === 'share').map(({ address }) => address);
  if (ofShares.length > 0 && !args.bool('stratum', false)) throw new ConfigError('-zmqpubshare needs -stratum');
  // The topics of one address share a queue for each subscriber, and that of blocks is long.
  if (endpoints.some(({ topic, address }) => topic !== 'share' && ofShares.includes(address)))
    throw new ConfigError('-zmqpubshare needs an address of its own');
  return endpoints;
}

/** Converts like Core: saturates at 64 bits, of which the low 32 are kept. */
function blockVersion(value: number): number {
  return value >= 2 ** 63 ? -1 : Math.max(value, -(2 ** 63)) | 0;
}
