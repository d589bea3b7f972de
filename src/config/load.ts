// From argv and bitcoin.conf to one plain record per room. Everything that can be wrong with an option is said here,
// before anything is opened, in Core's words where Core has words for it. Longer than most files because every room's
// options meet here.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createSecureContext } from 'node:tls';
import type { ChainName } from '../consensus/params/chain-params.js';
import { BURIED_RULES, type BuriedRule, chainParams } from '../consensus/params/networks.js';
import { INDEX_ROWS, type IndexOptions } from '../indexes/options.js';
import type { LogOptions } from '../log/create-logger.js';
import { MEMPOOL_ROWS, type MempoolOptions } from '../mempool/options.js';
import type { MetricsOptions } from '../metrics/server.js';
import type { NetOptions } from '../net/options.js';
import { COMPATS, type Compat, follows, only } from '../policy/compat.js';
import { POLICY_ROWS } from '../policy/option-rows.js';
import type { PolicyOptions } from '../policy/options.js';
import { SMALLEST_RESERVE, TEMPLATE_ROWS, type TemplateOptions } from '../template/options.js';
import type { WalletOptions } from '../wallet/options.js';
import { DEFAULT_SPEND, NEW_SPENDING, OLD_SPENDING, type SpendOptions } from '../wallet/spend/options.js';
import { Args, ConfigError } from './args.js';
import { readConf } from './conf-file.js';
import { flagByName } from './flags.js';
import { type FleetConfig, fleetOptions } from './fleet-options.js';
import { networkOptions } from './network-options.js';
import { type PruneOption, pruneOption } from './prune-option.js';
import { readRows } from './rows.js';
import { readSettings } from './settings-file.js';
import { type Sv2Config, sv2Options } from './sv2-options.js';

/** What the daemon is started with. Sizes in bytes, rates in satoshi per 1,000 virtual bytes, times in seconds. */
export interface NodeConfig {
  readonly chain: ChainName;
  /** Which Bitcoin Core the node speaks and acts like. */
  readonly compat: Compat;
  readonly signetChallengeHex: string | undefined;
  /** -signetseednode; empty: those of the network. */
  readonly signetSeedNodes: readonly string[];
  /** -testactivationheight and -segwitheight; -1 for never. */
  readonly activationHeights: Readonly<Partial<Record<BuriedRule, number>>>;
  readonly vbparams: readonly { name: string; startTime: bigint; timeout: bigint; minActivationHeight: number }[];
  /** The folder given by -datadir, and the network's folder in it. */
  readonly baseDir: string;
  readonly netDir: string;
  readonly blocksDir: string;
  readonly pidFile: string;
  /** settings.json, where calls keep options that outlive the process; undefined with -nosettings. */
  readonly settingsFile: string | undefined;
  /** undefined with -norpccookiefile: nobody gets in by a cookie. */
  readonly cookieFile: string | undefined;
  /** File mode of the cookie. */
  readonly cookieMode: number;
  readonly dbCacheBytes: number;
  readonly dbBatchBytes: number;
  readonly scriptCacheBytes: number;
  readonly loadBlockFiles: readonly string[];
  readonly reindex: boolean;
  readonly reindexChainstate: boolean;
  /** Null: blocks are kept. */
  readonly prune: PruneOption | null;
  /** -fastprune: small block files, for tests of pruning. */
  readonly smallBlockFiles: boolean;
  /** Blocks checked at start, 0 for all. */
  readonly checkBlocks: number;
  readonly checkLevel: number;
  /** 0 for never. */
  readonly stopAtHeight: number;
  readonly indexes: IndexOptions;
  /** Script verification threads, at least 1. */
  readonly par: number;
  readonly assumeValidHex: string | undefined;
  readonly minimumChainWorkHex: string | undefined;
  readonly maxTipAgeSeconds: number;
  readonly checkpoints: boolean;
  readonly mockTime: number;
  /** ips: lines about peers show their addresses. */
  readonly log: LogOptions & { readonly ips: boolean };
  readonly announce: boolean;
  readonly templates: TemplateOptions;
  /** requireStandard: undefined where the network decides. */
  readonly policy: Omit<PolicyOptions, 'requireStandard'> & { readonly requireStandard: boolean | undefined };
  readonly mempool: Omit<MempoolOptions, 'policy' | 'limitLegacySigops' | 'segmentBytes'>;
  /** -persistmempool */
  readonly persistMempool: boolean;
  readonly rpc: {
    readonly enabled: boolean;
    readonly port: number | undefined;
    /** undefined: no lenient listener. */
    readonly lenientPort: number | undefined;
    readonly binds: readonly string[];
    readonly allow: readonly string[];
    readonly user: string;
    readonly password: string;
    readonly auth: readonly string[];
    readonly whitelist: readonly string[];
    readonly whitelistDefault: boolean;
    readonly workQueue: number | undefined;
    readonly serverTimeoutSeconds: number;
    /** `"jsonrpc":"2.0"` means something. */
    readonly jsonRpc2: boolean;
    /** The REST interface is served. */
    readonly rest: boolean;
    readonly tls: { readonly certFile: string; readonly keyFile: string } | null;
    readonly fronts: number;
  };
  /** null without -sv2. */
  readonly sv2: Sv2Config | null;
  /** null without -fleet. */
  readonly fleet: FleetConfig | null;
  readonly wallet: WalletOptions;
  readonly net: Partial<NetOptions>;
  /** -asmap; undefined: addresses are grouped by prefix. */
  readonly asmapFile: string | undefined;
  /** -deprecatedrpc: old members and behaviours of calls. */
  readonly deprecatedRpc: ReadonlySet<string>;
  readonly notify: {
    readonly block: readonly string[];
    readonly startup: readonly string[];
    readonly shutdown: readonly string[];
    readonly alert: readonly string[];
    readonly urls: readonly string[];
    readonly zmq: readonly { readonly topic: ZmqTopicName; readonly address: string; readonly highWaterMark: number }[];
  };
  readonly metrics: Omit<MetricsOptions, 'port'> & { readonly port: number | undefined };
  /** Lines for the log once it is open. */
  readonly notes: readonly string[];
}

/** Values that must not be in the log. */
const secretOptions = new Set(['fleet', 'rpcauth', 'rpcbind', 'rpcpassword', 'rpcuser', 'rpcwhitelist', 'torpassword']);

/** Who may read the cookie, as file modes. */
const cookieModes = { owner: 0o600, group: 0o640, all: 0o644 } as const;

const zmqTopicNames = ['hashblock', 'hashtx', 'rawblock', 'rawtx', 'sequence'] as const;
type ZmqTopicName = (typeof zmqTopicNames)[number];

/**
 * Core's bound on what -par asks for: 15 threads beside its own. Scripts of an unseen input take about six times as long
 * as the node thread's share of it, so the seventh thread and those after it wait for the node thread.
 */
const maxScriptThreads = 16;

/** Fronts without -fronts and -rpcthreads: the node thread answers no more of them than this. */
const MOST_FRONTS = 8;

const chainFolders: Record<ChainName, string> = { main: '', test: 'testnet3', testnet4: 'testnet4', signet: 'signet', regtest: 'regtest' };

/**
 * The default data folder on this system. Not Core's: two nodes that append to the same block files would ruin both.
 */
export function defaultDataDir(): string {
  if (process.platform === 'darwin') return path.join(os.homedir(), 'Library', 'Application Support', 'adit');
  if (process.platform === 'win32') return path.join(process.env.APPDATA ?? os.homedir(), 'adit');
  return path.join(os.homedir(), '.adit');
}

/** The chain that the options name. @throws ConfigError */
export function chooseChain(args: Args): ChainName {
  const chosen = (['regtest', 'signet', 'testnet', 'testnet4'] as const).filter((name) => args.chainSwitch(name));
  if (chosen.length + (args.isSet('chain') ? 1 : 0) > 1) {
    throw new ConfigError('Invalid combination of -regtest, -signet, -testnet and -chain. Can use at most one.');
  }
  if (chosen[0] !== undefined) return chosen[0] === 'testnet' ? 'test' : chosen[0];
  const named = args.text('chain') ?? 'main';
  if (!Object.hasOwn(chainFolders, named)) throw new ConfigError(`CreateChainParams: Unknown chain ${named}.`);
  return named as ChainName;
}

function requireFolder(dir: string, optionName: string): void {
  let info: fs.Stats;
  try {
    info = fs.statSync(dir);
  } catch {
    throw new ConfigError(`Specified ${optionName} directory "${dir}" does not exist.`);
  }
  if (!info.isDirectory()) throw new ConfigError(`Specified ${optionName} directory "${dir}" does not exist.`);
}

/** What the command line alone decides: help, version, or a start. */
export function parseArgs(argv: readonly string[]): Args {
  const args = new Args();
  args.parseCommandLine(argv);
  return args;
}

/** The data folder and the chain, with bitcoin.conf read into `args`. Shared by the daemon and adit-cli. */
export function locate(args: Args, createBase: boolean): { baseDir: string; chain: ChainName; netDir: string } {
  let baseDir = args.text('datadir');
  if (baseDir !== undefined) {
    baseDir = path.resolve(baseDir);
    requireFolder(baseDir, 'data');
  } else {
    baseDir = defaultDataDir();
    if (createBase) fs.mkdirSync(baseDir, { recursive: true, mode: 0o700 });
  }
  readConf(args, baseDir, args.text('conf') ?? 'bitcoin.conf', args.isSet('conf'), () => chooseChain(args));
  const chain = chooseChain(args);
  args.selectChain(chain);
  const confDataDir = args.text('datadir');
  if (confDataDir !== undefined && path.resolve(confDataDir) !== baseDir) {
    baseDir = path.resolve(confDataDir);
    if (!fs.statSync(baseDir, { throwIfNoEntry: false })?.isDirectory()) {
      throw new ConfigError(`Error reading configuration file: specified data directory "${confDataDir}" does not exist.`);
    }
  }
  return { baseDir, chain, netDir: path.join(baseDir, chainFolders[chain]) };
}

/** Deployments as -vbparams has them. @throws ConfigError */
export function vbparams(args: Args): NodeConfig['vbparams'] {
  return args.list('vbparams').map((text) => {
    const parts = text.split(':');
    if (parts.length < 3 || parts.length > 4)
      throw new ConfigError('Version bits parameters malformed, expecting deployment:start:end[:min_activation_height]');
    const whole = (value: string, what: string): bigint => {
      if (!/^-?\d{1,19}$/.test(value)) throw new ConfigError(`Invalid ${what} (${value})`);
      return BigInt(value);
    };
    return {
      name: parts[0]!,
      startTime: whole(parts[1]!, 'nStartTime'),
      timeout: whole(parts[2]!, 'nTimeout'),
      minActivationHeight: Number(parts[3] === undefined ? 0n : whole(parts[3], 'min_activation_height')),
    };
  });
}

/** Heights as -testactivationheight has them, each name@height, over what the version has. @throws ConfigError */
export function activationHeights(args: Args, chain: ChainName, usual: NodeConfig['activationHeights']): NodeConfig['activationHeights'] {
  if (chain !== 'regtest') return {};
  const heights: Partial<Record<BuriedRule, number>> = { ...usual };
  if (args.isSet('segwitheight')) {
    heights.segwit = args.int('segwitheight', 0);
    if (heights.segwit < -1)
      throw new ConfigError(`Activation height ${heights.segwit} for segwit is out of valid range. Use -1 to disable segwit.`);
  }
  for (const text of args.list('testactivationheight')) {
    const wrong = (what: string): never => {
      throw new ConfigError(`Invalid ${what} (${text}) for -testactivationheight=name@height.`);
    };
    const at = text.indexOf('@');
    if (at < 0) wrong('format');
    const height = text.slice(at + 1);
    if (!/^\d{1,10}$/.test(height) || Number(height) >= 2 ** 31 - 1) wrong('height value');
    const rule = BURIED_RULES.find((name) => name === text.slice(0, at)) ?? wrong('name');
    heights[rule] = Number(height);
  }
  return heights;
}

function hexOption(args: Args, name: string): string | undefined {
  const text = args.text(name);
  if (text === undefined) return undefined;
  const digits = text.replace(/^0x/, '');
  if (!/^[0-9a-fA-F]*$/.test(digits) || digits.length > 64)
    throw new ConfigError(
      `Invalid non-hex (${text}) ${name === 'assumevalid' ? 'assume valid block' : 'minimum chain work value'} specified`,
    );
  return digits.toLowerCase().padStart(64, '0');
}

/** Whether -blockfilterindex asks for the basic filter, the only type there is. */
function filterIndex(args: Args): boolean {
  const asked = args.list('blockfilterindex');
  if (asked.some((value) => value === '' || value === '1')) return true;
  const wrong = asked.find((value) => value !== '0' && value !== 'basic');
  if (wrong !== undefined) throw new ConfigError(`Unknown -blockfilterindex value ${wrong}.`);
  return asked.includes('basic');
}

/** A quarter of the cores serves HTTP: the others are for scripts, and for the node thread behind the fronts. */
export function defaultFronts(cores: number, args: Pick<Args, 'isSet' | 'int'>): number {
  if (args.isSet('rpcthreads')) return Math.max(1, Math.min(args.int('rpcthreads', 1), cores - 1));
  return Math.max(1, Math.min(Math.floor(cores / 4), MOST_FRONTS));
}

function scriptThreads(args: Args): number {
  const asked = args.int('par', 0);
  const cores = os.availableParallelism();
  return Math.max(1, Math.min(asked > 0 ? asked : cores + asked, maxScriptThreads));
}

/** What was given, one line each as Core logs it; secrets as stars. */
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

function addressType(args: Args, name: string): WalletOptions['addressType'] | undefined {
  const text = args.text(name);
  if (text === undefined || text === '') return undefined;
  if (text !== 'legacy' && text !== 'p2sh-segwit' && text !== 'bech32') {
    throw new ConfigError(`Unknown ${name === 'addresstype' ? 'address' : 'change'} type '${text}'`);
  }
  return text;
}

/** Fees and habits of payments, with Core's limits. */
function spendOptions(args: Args, compat: Compat): SpendOptions {
  const minRelay = args.amount('minrelaytxfee', 1000);
  const invalid = (name: string, why: string): never => {
    throw new ConfigError(`Invalid amount for -${name}=<amount>: '${args.text(name)}'${why}`);
  };
  const rate = (sats: number): string => `${(sats / 1e8).toFixed(8)} BTC/kvB`;
  const minFeeRate = args.amount('mintxfee', DEFAULT_SPEND.minFeeRate);
  if (minFeeRate === 0) invalid('mintxfee', '');
  const payFeeRate = args.amount('paytxfee', DEFAULT_SPEND.payFeeRate);
  if (args.isSet('paytxfee') && payFeeRate < minRelay) invalid('paytxfee', ` (must be at least ${rate(minRelay)})`);
  const maxFeeSats = args.amount('maxtxfee', DEFAULT_SPEND.maxFeeSats);
  if (args.isSet('maxtxfee') && maxFeeSats < minRelay) {
    invalid('maxtxfee', ` (must be at least the minrelay fee of ${rate(minRelay)} to prevent stuck transactions)`);
  }
  return {
    rules: follows(compat, 31) ? NEW_SPENDING : OLD_SPENDING,
    payFeeRate,
    fallbackFeeRate: args.amount('fallbackfee', DEFAULT_SPEND.fallbackFeeRate),
    discardFeeRate: args.amount('discardfee', DEFAULT_SPEND.discardFeeRate),
    consolidateFeeRate: args.amount('consolidatefeerate', DEFAULT_SPEND.consolidateFeeRate),
    minFeeRate,
    maxFeeSats,
    maxGroupingFeeSats: args.text('maxapsfee') === '-1' ? -1 : args.amount('maxapsfee', DEFAULT_SPEND.maxGroupingFeeSats),
    confirmTarget: args.int('txconfirmtarget', DEFAULT_SPEND.confirmTarget),
    replaceable: args.bool('walletrbf', only(compat, 24)),
    avoidPartialSpends: args.bool('avoidpartialspends', DEFAULT_SPEND.avoidPartialSpends),
    rejectLongChains: args.bool('walletrejectlongchains', only(compat, 24)),
    bumpGivesPsbt: args.list('deprecatedrpc').includes('bumpfee'),
  };
}

function asmapFile(args: Args, netDir: string): string | undefined {
  if (!args.isSet('asmap') || args.isNegated('asmap')) return undefined;
  return path.resolve(netDir, args.text('asmap') || 'ip_asn.map');
}

function walletOptions(args: Args, netDir: string, compat: Compat): WalletOptions {
  const dir = args.text('walletdir');
  if (dir !== undefined) {
    if (!path.isAbsolute(dir)) throw new ConfigError(`Specified -walletdir "${dir}" is a relative path`);
    if (!fs.existsSync(dir)) throw new ConfigError(`Specified -walletdir "${dir}" does not exist`);
    requireFolder(dir, 'wallet');
  }
  return {
    enabled: !args.bool('disablewallet', false),
    removesRecords: !only(compat, 32) || args.list('deprecatedrpc').includes('removeprunedfunds'),
    dir: dir ?? path.join(netDir, 'wallets'),
    names: args.list('wallet'),
    unnamed: !args.isSet('wallet'),
    keypool: Math.max(0, args.int('keypool', 1000)),
    taprootSeeds: compat.descriptorWallets,
    laterRecords: follows(compat, 25),
    addressType: addressType(args, 'addresstype') ?? 'bech32',
    changeType: addressType(args, 'changetype'),
    imageRows: Math.max(0, args.int('walletimage', 50_000)),
    spendZeroConfChange: args.bool('spendzeroconfchange', true),
    walletBroadcast: args.bool('walletbroadcast', !args.bool('blocksonly', false)),
    spend: spendOptions(args, compat),
    rescan: args.bool('rescan', false),
    signerCommand: args.text('signer') || undefined,
    notifyCommand: args.text('walletnotify'),
  };
}

/** Where the cookie goes and who may read it; Core refuses an unknown word at the start of the server. */
function cookieOptions(args: Args, netDir: string): Pick<NodeConfig, 'cookieFile' | 'cookieMode'> {
  const readers = args.text('rpccookieperms') ?? 'owner';
  if (!Object.hasOwn(cookieModes, readers))
    throw new ConfigError(`Invalid -rpccookieperms=${readers}; must be one of 'owner', 'group', or 'all'.`);
  const file = args.isNegated('rpccookiefile') ? '' : (args.text('rpccookiefile') ?? '.cookie');
  return { cookieFile: file === '' ? undefined : path.resolve(netDir, file), cookieMode: cookieModes[readers as keyof typeof cookieModes] };
}

/** A port, with Core's refusal. @throws ConfigError */
export function portOption(args: Args, name: string): number | undefined {
  if (!args.isSet(name)) return undefined;
  const text = args.text(name) ?? '';
  if (!/^\d{1,5}$/.test(text) || Number(text) < 1 || Number(text) > 65535)
    throw new ConfigError(`Invalid port specified in -${name}: '${text}'`);
  return Number(text);
}

/** The files of -rpctlscert and -rpctlskey, found to belong together before anything listens. */
function tlsFiles(args: Args, baseDir: string): NodeConfig['rpc']['tls'] {
  const cert = args.text('rpctlscert');
  const key = args.text('rpctlskey');
  if (cert === undefined && key === undefined) return null;
  if (cert === undefined || key === undefined) throw new ConfigError('-rpctlscert and -rpctlskey have to be given together');
  if (args.isSet('rpclenientport')) throw new ConfigError('-rpclenientport speaks plain HTTP and cannot be used together with -rpctlscert');
  const files = { certFile: path.resolve(baseDir, cert), keyFile: path.resolve(baseDir, key) };
  try {
    createSecureContext({ cert: fs.readFileSync(files.certFile), key: fs.readFileSync(files.keyFile) });
  } catch (error) {
    throw new ConfigError(`-rpctlscert and -rpctlskey cannot be used: ${(error as Error).message}`);
  }
  return files;
}

/** What -rpc* and -fronts say. @param baseDir that files of certificates are relative to @throws ConfigError */
export function rpcOptions(args: Args, baseDir: string, compat: Compat): NodeConfig['rpc'] {
  const userLists = args.list('rpcwhitelist');
  return {
    enabled: args.bool('server', true),
    port: portOption(args, 'rpcport'),
    lenientPort: portOption(args, 'rpclenientport'),
    binds: args.list('rpcbind'),
    allow: args.list('rpcallowip'),
    user: args.text('rpcuser') ?? '',
    password: args.text('rpcpassword') ?? '',
    auth: args.list('rpcauth'),
    whitelist: userLists,
    whitelistDefault: args.bool('rpcwhitelistdefault', userLists.length > 0),
    workQueue: args.isSet('rpcworkqueue') ? Math.max(1, args.int('rpcworkqueue', 1)) : undefined,
    tls: tlsFiles(args, baseDir),
    serverTimeoutSeconds: Math.max(1, args.int('rpcservertimeout', 30)),
    jsonRpc2: args.bool('jsonrpc2', compat.jsonRpc2),
    rest: args.bool('rest', false),
    fronts: args.isSet('fronts') ? args.strictInt('fronts', 1, 1, 64) : defaultFronts(os.availableParallelism(), args),
  };
}

function webUrl(text: string): string {
  let url: URL | undefined;
  try {
    url = new URL(text);
  } catch {
    // Said below.
  }
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:')
    throw new ConfigError(`-notifyurl takes an http or https URL, not '${text}'`);
  return text;
}

/** @throws ConfigError for a version that there is not */
export function compatOption(args: Args): Compat {
  const name = args.text('compat') ?? 'default';
  if (name !== '0.21.1' && name !== '31' && name !== 'default')
    throw new ConfigError(`-compat must be 0.21.1, 31 or default, not '${name}'.`);
  return COMPATS[name];
}

/**
 * Reads everything.
 * @param prepare sees to the folders before the first file in them is read
 * @throws ConfigError with the text for the operator
 */
export function loadConfig(args: Args, prepare: (netDir: string, blocksDir: string) => void = () => {}): NodeConfig {
  const { baseDir, chain, netDir } = locate(args, true);
  const misplaced = args.misplaced();
  if (misplaced.length > 0) {
    throw new ConfigError(
      misplaced.map((name) => `Config setting for -${name} only applied on ${chain} network when in [${chain}] section.`).join('\n'),
    );
  }
  const blocksBase = args.text('blocksdir');
  if (blocksBase !== undefined) requireFolder(path.resolve(blocksBase), 'blocks');
  const blocksDir =
    blocksBase === undefined ? path.join(netDir, 'blocks') : path.join(path.resolve(blocksBase), chainFolders[chain], 'blocks');
  prepare(netDir, blocksDir);
  const settingsFile = args.isNegated('settings') ? undefined : path.resolve(netDir, args.text('settings') ?? 'settings.json');
  if (settingsFile !== undefined) {
    for (const [name, { values, json }] of readSettings(settingsFile)) {
      if (!args.giveSetting(name, values, json)) args.warnings.push(`Ignoring unknown rw_settings value ${name}`);
    }
  }
  const regtestOnly = (name: string): void => {
    if (args.isSet(name) && chain !== 'regtest') args.warnings.push(`-${name} is for regtest only and was ignored`);
  };
  regtestOnly('segwitheight');
  regtestOnly('testactivationheight');
  regtestOnly('vbparams');
  regtestOnly('blockversion');
  const compat = compatOption(args);
  const defaults = compat.policy;
  const { rules } = defaults;
  const policy = readRows(args, POLICY_ROWS, compat);
  const mempool = readRows(args, MEMPOOL_ROWS, compat);
  const templates = readRows(args, TEMPLATE_ROWS, compat);
  if (args.isSet('acceptnonstdtxn') && args.bool('acceptnonstdtxn', false) && chain === 'main') {
    throw new ConfigError('acceptnonstdtxn is not currently supported for main chain');
  }
  const largestFamily = rules.clusters ? mempool.limitClusterSize : mempool.limitDescendantSize;
  if (largestFamily * 40 > mempool.maxUsageBytes) {
    throw new ConfigError(`-maxmempool must be at least ${Math.ceil((largestFamily * 40) / 1_000_000)} MB`);
  }
  if (rules.clusters && mempool.limitClusterCount > 64) throw new ConfigError('limitclustercount must be less than or equal to 64');
  const { mode: templateMode, maxWeight: wantedWeight, reservedWeight } = templates;
  if (templateMode !== 'core' && templateMode !== 'live')
    throw new ConfigError(`-templatemode must be core or live, not '${templateMode}'.`);
  const maxWeight = Math.max(4000, Math.min(wantedWeight, defaults.blockWeight));
  if (reservedWeight < SMALLEST_RESERVE)
    throw new ConfigError(`Specified -blockreservedweight (${reservedWeight}) is lower than minimum safety value of (${SMALLEST_RESERVE})`);
  if (reservedWeight > maxWeight)
    throw new ConfigError(`Specified -blockreservedweight (${reservedWeight}) exceeds -blockmaxweight (${maxWeight})`);
  const mockTime = args.int('mocktime', 0);
  if (mockTime < 0) throw new ConfigError(`Mocktime can not be negative: ${mockTime}.`);
  const confFile = path.resolve(baseDir, args.text('conf') ?? 'bitcoin.conf');
  const places = [
    `Default data directory ${defaultDataDir()}`,
    `Using data directory ${netDir}`,
    `Config file: ${confFile}${fs.existsSync(confFile) ? '' : ' (not found, skipping)'}`,
  ];
  const filters = filterIndex(args);
  const pruning = pruneOption(args, filters);
  const notes = [
    ...args.warnings,
    ...args.loudWarnings.map((line) => `Warning: ${line}`),
    ...places,
    ...argumentLines(args),
    ...pruning.notes,
  ];
  if (wantedWeight !== maxWeight)
    notes.push(
      `Warning: -blockmaxweight=${wantedWeight} is out of range; templates are built with ${maxWeight} (4000 to ${defaults.blockWeight})`,
    );
  for (const flag of flagByName.values()) {
    if (flag.effect === 'none' && args.isSet(flag.name) && args.text(flag.name) !== '0')
      notes.push(`Warning: -${flag.name} is accepted but has no effect in this version`);
  }
  const logFile = args.isNegated('debuglogfile') ? undefined : path.resolve(netDir, args.text('debuglogfile') ?? 'debug.log');
  const categories = args.list('debug');
  return {
    chain,
    compat,
    signetChallengeHex: args.text('signetchallenge'),
    signetSeedNodes: args.list('signetseednode'),
    activationHeights: activationHeights(args, chain, compat.activationHeights),
    vbparams: chain === 'regtest' ? vbparams(args) : [],
    baseDir,
    netDir,
    blocksDir,
    pidFile: path.resolve(netDir, args.text('pid') ?? 'bitcoind.pid'),
    settingsFile,
    ...cookieOptions(args, netDir),
    dbCacheBytes: Math.max(4, Math.min(args.int('dbcache', 450), 16384)) * 1024 * 1024,
    dbBatchBytes: Math.max(1, args.int('dbbatchsize', 16 * 1024 * 1024)),
    scriptCacheBytes: Math.max(0, Math.min(args.int('maxsigcachesize', 32), 16384)) * 1024 * 1024,
    loadBlockFiles: args.list('loadblock').map((file) => path.resolve(file)),
    reindex: args.bool('reindex', false),
    reindexChainstate: args.bool('reindex-chainstate', false),
    prune: pruning.prune,
    smallBlockFiles: args.bool('fastprune', false),
    checkBlocks: Math.max(0, args.int('checkblocks', 6)),
    checkLevel: Math.max(0, Math.min(4, args.int('checklevel', 3))),
    stopAtHeight: Math.max(0, args.int('stopatheight', 0)),
    indexes: { ...readRows(args, INDEX_ROWS, compat), filters },
    par: scriptThreads(args),
    assumeValidHex: hexOption(args, 'assumevalid'),
    minimumChainWorkHex: hexOption(args, 'minimumchainwork'),
    maxTipAgeSeconds: args.int('maxtipage', 86400),
    checkpoints: args.bool('checkpoints', true),
    mockTime,
    log: {
      file: logFile,
      console: args.bool('printtoconsole', !args.bool('daemon', false)),
      categories: categories.includes('0') || categories.includes('none') ? [] : categories,
      excluded: args.list('debugexclude'),
      timestamps: args.bool('logtimestamps', true),
      micros: args.bool('logtimemicros', false),
      threadNames: args.bool('logthreadnames', false),
      shrink: args.isSet('shrinkdebugfile') ? args.bool('shrinkdebugfile', true) : undefined,
      ips: args.bool('logips', false),
    },
    announce: args.bool('announce', false),
    templates: {
      ...templates,
      mode: templateMode === 'core' && rules.clusters ? 'chunks' : templateMode,
      maxWeight,
      blockVersion: chain === 'regtest' && args.isSet('blockversion') ? args.int('blockversion', 0) : null,
      release: compat.replies.oldest,
    },
    policy: {
      ...rules,
      ...policy,
      requireStandard: args.isSet('acceptnonstdtxn') ? !args.bool('acceptnonstdtxn', false) : undefined,
      // Raising the increment alone lifts the minimum with it, as in Core's init.
      minRelayFeeRate: args.isSet('minrelaytxfee') ? policy.minRelayFeeRate : Math.max(policy.minRelayFeeRate, policy.incrementalFeeRate),
    },
    mempool: {
      ...mempool,
      evictChunks: templateMode === 'live' || rules.clusters,
      replaceByDiagram: templateMode === 'live' || rules.clusters,
      limitClusterCount: mempool.limitClusterCount || Number.POSITIVE_INFINITY,
      limitClusterSize: mempool.limitClusterSize || Number.POSITIVE_INFINITY,
    },
    persistMempool: args.bool('persistmempool', true),
    rpc: rpcOptions(args, baseDir, compat),
    sv2: sv2Options(args, chain, netDir, () => portOption(args, 'sv2port')),
    fleet: fleetOptions(args, baseDir, netDir),
    wallet: walletOptions(args, netDir, compat),
    asmapFile: asmapFile(args, netDir),
    deprecatedRpc: new Set(args.list('deprecatedrpc')),
    net: networkOptions(args, chainParams(chain).p2pPort, args.bool('logips', false), {
      compat,
      pruned: pruning.prune !== null,
      hasFilters: filterIndex(args),
    }),
    notify: {
      block: args.list('blocknotify'),
      startup: args.list('startupnotify'),
      shutdown: args.list('shutdownnotify'),
      alert: args.list('alertnotify'),
      urls: args.list('notifyurl').map(webUrl),
      zmq: zmqTopicNames.flatMap((topic) =>
        args.list(`zmqpub${topic}`).map((address) => ({ topic, address, highWaterMark: Math.max(0, args.int(`zmqpub${topic}hwm`, 1000)) })),
      ),
    },
    metrics: {
      port: portOption(args, 'metricsport'),
      host: args.text('metricsbind') ?? '127.0.0.1',
      names: args.list('metricshost'),
    },
    notes,
  };
}
