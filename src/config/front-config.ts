// Reads the options of adit-front: those of aditd that concern the port it serves, and its own. adit-front stores
// nothing on disk and has no data folder, so file names are relative to the folder in which it is started.
import path from 'node:path';
import type { FleetFrontOptions } from '../fleet/options.js';
import { METRICS_ROWS } from '../metrics/options.js';
import { TEMPLATE_ROWS } from '../template/options.js';
import { Args, ConfigError } from './args.js';
import { type ChosenRules, chosenRules } from './chosen-rules.js';
import { readConf } from './conf-file.js';
import { allFlags, type Flag, flagOf } from './flags.js';
import { brokerOptions, fleetWord } from './fleet-options.js';
import type { NodeConfig } from './load.js';
import { chooseChain, compatOption, refuseMisplaced } from './locate.js';
import { logOptions } from './log-options.js';
import { FLEET_ROWS, OWN_ROWS } from './own-rows.js';
import { readRows } from './rows.js';
import { rpcOptions } from './rpc-options.js';
import { type StratumConfig, stratumOptions } from './stratum-options.js';
import { type Sv2Config, sv2Options } from './sv2-options.js';
import { templateWeights } from './template-weights.js';
import { version } from './version.js';

/** A node whose publications the front trusts. */
export interface FollowedNode {
  readonly name: string;
  /** Ed25519 public key, 32 bytes in hex. */
  readonly keyHex: string;
}

/** Configuration of adit-front. */
export interface FrontConfig extends Pick<NodeConfig, keyof ChosenRules | 'chain' | 'compat' | 'rpc' | 'metrics' | 'log'> {
  readonly wallet: { readonly enabled: boolean };
  /** Options of the Stratum V2 template provider; null without -sv2. */
  readonly sv2: Sv2Config | null;
  /** Options of the Stratum V1 server; null without -stratum. */
  readonly stratum: StratumConfig | null;
  readonly templates: Pick<NodeConfig['templates'], 'maxWeight' | 'reservedWeight' | 'longPollDeltaSats'>;
  readonly fleet: Omit<FleetFrontOptions, 'chain' | 'nodes'> & { readonly nodes: readonly FollowedNode[] };
  readonly notes: readonly string[];
}

/** Options of aditd that have the same meaning in adit-front. */
const shared = new Set(
  `? help h version conf chain regtest signet testnet testnet4 signetchallenge segwitheight vbparams compat disablewallet fleet fleetcreds
  fleettlsca fleettlscert fleettlskey rpcport rpcbind rpcallowip rpclenientport rpctlscert rpctlskey rpcuser rpcpassword rpcauth rpcwhitelist
  blockmaxweight blockreservedweight sv2 sv2bind sv2port sv2authoritykey sv2interval sv2feedelta sv2peraddress stratum stratumbind stratumport stratumtlscert stratumtlskey
  stratumtlsport stratumconnections stratumperaddress stratumfront stratumblocks stratumworkers stratumdb stratumaddress stratumfee stratumtag stratumdiff stratummindiff stratummaxdiff
  stratumshares stratumsharerate stratumversionmask longpolldelta rpcwhitelistdefault rpcworkqueue rpcservertimeout rpcthreads fronts jsonrpc2 metricsport metricsbind metricshost debug debugexclude
  loglevel loglevelalways debuglogfile printtoconsole logtimestamps logtimemicros`.split(/\s+/),
);

/** Options that only adit-front has. */
const FRONT_ROWS = {
  account: ['fleetaccount', 'string', 'Account of this front in the broker and on the nodes', 'fronts'],
  nodes: [
    'fleetnode',
    'list',
    "Name and key of a node to follow (name:key), as the node's log shows them. Can be given several times. The front ignores all other nodes",
  ],
  timeoutMs: [
    'fleettimeout',
    'whole',
    'Stop following a node after this many milliseconds without a message',
    2000,
    { least: 200, most: 600_000 },
  ],
  shares: FLEET_ROWS.shares,
  marginSats: [
    'fleetmargin',
    'amount',
    'Among nodes with the same tip, change to another one if its template pays this much more, in BTC',
    10_000,
  ],
} as const;

/** All options of adit-front in the order of its help. */
export const frontFlags: readonly Flag[] = allFlags
  .filter(({ name }) => shared.has(name))
  .concat(Object.values(FRONT_ROWS).map((row) => flagOf(row, 'Fleet')));

/** Parses the command line. @throws ConfigError */
export function parseFrontArgs(argv: readonly string[]): Args {
  const args = new Args(new Map(frontFlags.map((flag) => [flag.name, flag])), 'adit-front');
  args.parseCommandLine(argv);
  return args;
}

/** First lines of `adit-front --help`. */
export const frontUsage: readonly string[] = [
  `adit front version ${version}`,
  '',
  'Usage:  adit-front -fleet=nats://host -fleetnode=name:key -rpcport=port [options]',
  '',
  'Serves the RPC port for nodes on other machines. The front answers templates and long polls itself, and sends other calls to a node.',
];

const NODE_KEY = /^([^:]+):([0-9a-fA-F]{64})$/;

/** Reads the configuration. @throws ConfigError with the text for the operator */
export function loadFrontConfig(args: Args): FrontConfig {
  const folder = process.cwd();
  const conf = args.text('conf');
  if (conf !== undefined) readConf(args, folder, conf, true, () => chooseChain(args));
  const chain = chooseChain(args);
  args.selectChain(chain);
  const compat = compatOption(args);
  refuseMisplaced(args, chain, compat);
  const broker = brokerOptions(args, folder, compat);
  if (broker === null) throw new ConfigError('-fleet=nats://host is required');
  const given = readRows(args, FRONT_ROWS, compat);
  const nodes = given.nodes.map((text) => {
    const [, name = '', keyHex = ''] = NODE_KEY.exec(text) ?? [];
    if (name === '') throw new ConfigError(`-fleetnode must be name:key, with a key of 64 hex digits, not '${text}'`);
    return { name: fleetWord('fleetnode', name), keyHex: keyHex.toLowerCase() };
  });
  if (nodes.length === 0) throw new ConfigError('-fleetnode=name:key is required. The log of the node shows both.');
  const rpc = rpcOptions(args, folder, compat);
  if (rpc.password === '' && rpc.auth.length === 0)
    throw new ConfigError('A front has no cookie file. Set -rpcauth, or -rpcuser and -rpcpassword.');
  const log = logOptions(args, compat);
  const { maxWeight, reservedWeight, longPollDeltaSats } = TEMPLATE_ROWS;
  const templates = readRows(args, { maxWeight, reservedWeight, longPollDeltaSats }, compat);
  const weights = templateWeights(templates, compat);
  // Without -debuglogfile there is no log file.
  const logFile = args.text('debuglogfile');
  return {
    chain,
    compat,
    ...chosenRules(readRows(args, OWN_ROWS, compat), chain, compat),
    rpc,
    wallet: { enabled: !args.bool('disablewallet', false) },
    sv2: sv2Options(args, chain, folder, compat),
    stratum: stratumOptions(args, folder, folder, compat),
    templates: { ...templates, maxWeight: weights.maxWeight },
    fleet: { ...broker, ...given, account: fleetWord('fleetaccount', given.account), nodes },
    metrics: readRows(args, METRICS_ROWS, compat),
    log: { ...log, file: logFile ? path.resolve(folder, logFile) : undefined },
    notes: [...args.warnings, ...args.loudWarnings.map((line) => `Warning: ${line}`), ...weights.notes],
  };
}
