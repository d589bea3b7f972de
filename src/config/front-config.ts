// Options of adit-front: those of aditd that concern the port it serves, and its own. It keeps nothing on disk, so it
// has no data folder: files are relative to the folder it is started in.
import path from 'node:path';
import type { ChainName } from '../consensus/params/chain-params.js';
import type { Compat } from '../policy/compat.js';
import { TEMPLATE_ROWS } from '../template/options.js';
import { Args, ConfigError } from './args.js';
import { readConf } from './conf-file.js';
import { allFlags, type Flag } from './flags.js';
import { type BrokerConfig, brokerOptions, fleetWord } from './fleet-options.js';
import { activationHeights, chooseChain, compatOption, type NodeConfig, portOption, rpcOptions, vbparams } from './load.js';
import { readRows } from './rows.js';
import { type Sv2Config, sv2Options } from './sv2-options.js';
import { version } from './version.js';

/** A node that is believed and followed. */
export interface FollowedNode {
  readonly name: string;
  /** Ed25519, 32 bytes in hex. */
  readonly keyHex: string;
}

/** What adit-front is started with. */
export interface FrontConfig
  extends Pick<
    NodeConfig,
    'chain' | 'compat' | 'signetChallengeHex' | 'signetSeedNodes' | 'activationHeights' | 'vbparams' | 'rpc' | 'metrics' | 'log'
  > {
  readonly chain: ChainName;
  readonly compat: Compat;
  readonly wallet: { readonly enabled: boolean };
  /** null without -sv2. */
  readonly sv2: Sv2Config | null;
  readonly templates: Pick<NodeConfig['templates'], 'maxWeight' | 'reservedWeight'>;
  readonly fleet: BrokerConfig & {
    readonly account: string;
    readonly nodes: readonly FollowedNode[];
    readonly timeoutMs: number;
    readonly marginSats: number;
  };
  readonly notes: readonly string[];
}

/** Options of aditd that mean the same here. */
const shared = new Set(
  `? help h version conf chain regtest signet testnet testnet4 signetchallenge segwitheight vbparams compat disablewallet fleet fleetcreds
  fleettlsca fleettlscert fleettlskey rpcport rpcbind rpcallowip rpclenientport rpctlscert rpctlskey rpcuser rpcpassword rpcauth rpcwhitelist
  blockmaxweight blockreservedweight sv2 sv2bind sv2port sv2authoritykey sv2interval sv2feedelta sv2peraddress rpcwhitelistdefault rpcworkqueue rpcservertimeout rpcthreads fronts jsonrpc2 metricsport metricsbind metricshost debug debugexclude
  debuglogfile printtoconsole logtimestamps logtimemicros`.split(/\s+/),
);

const own: readonly Flag[] = [
  { name: 'fleetaccount', kind: 'string', category: 'Fleet', help: 'Account of these fronts on the nodes (default: fronts)' },
  {
    name: 'fleetnode',
    kind: 'list',
    category: 'Fleet',
    help: 'name:key of a node to follow, as its log shows them; repeatable. What others publish is ignored',
  },
  {
    name: 'fleettimeout',
    kind: 'int',
    category: 'Fleet',
    help: 'Milliseconds of silence after which a node is not followed (default: 2000)',
  },
  {
    name: 'fleetmargin',
    kind: 'amount',
    category: 'Fleet',
    help: 'With equal tips another node is followed when its template pays so much more, BTC (default: 0.0001)',
  },
];

/** Every option of adit-front, in the order of its help. */
export const frontFlags: readonly Flag[] = [...allFlags.filter(({ name }) => shared.has(name)), ...own];

/** What the command line alone decides. @throws ConfigError */
export function parseFrontArgs(argv: readonly string[]): Args {
  const args = new Args(new Map(frontFlags.map((flag) => [flag.name, flag])), 'adit-front');
  args.parseCommandLine(argv);
  return args;
}

/** What `adit-front --help` opens with. */
export const frontUsage: readonly string[] = [
  `adit front version ${version}`,
  '',
  'Usage:  adit-front -fleet=nats://host -fleetnode=name:key -rpcport=port [options]',
  '',
  'Serves the RPC port of a node on another machine: templates and long polls from here, other calls from the node.',
];

const NODE_KEY = /^([^:]+):([0-9a-fA-F]{64})$/;

/** Reads everything. @throws ConfigError with the text for the operator */
export function loadFrontConfig(args: Args): FrontConfig {
  const folder = process.cwd();
  const conf = args.text('conf');
  if (conf !== undefined) readConf(args, folder, conf, true, () => chooseChain(args));
  const chain = chooseChain(args);
  args.selectChain(chain);
  const broker = brokerOptions(args, folder);
  if (broker === null) throw new ConfigError('-fleet=nats://host is needed');
  const nodes = args.list('fleetnode').map((text) => {
    const [, name = '', keyHex = ''] = NODE_KEY.exec(text) ?? [];
    if (name === '') throw new ConfigError(`-fleetnode takes name:key with 64 hex digits of the key, not '${text}'`);
    return { name: fleetWord('fleetnode', name), keyHex: keyHex.toLowerCase() };
  });
  if (nodes.length === 0) throw new ConfigError("-fleetnode=name:key is needed, as the node's log shows it");
  const compat = compatOption(args);
  const rpc = rpcOptions(args, folder, compat);
  if (rpc.password === '' && rpc.auth.length === 0)
    throw new ConfigError('a front has no cookie: give -rpcauth, or -rpcuser and -rpcpassword');
  const logFile = args.text('debuglogfile');
  return {
    chain,
    compat,
    signetChallengeHex: args.text('signetchallenge'),
    signetSeedNodes: [],
    activationHeights: activationHeights(args, chain, compat.activationHeights),
    vbparams: chain === 'regtest' ? vbparams(args) : [],
    rpc,
    wallet: { enabled: !args.bool('disablewallet', false) },
    sv2: sv2Options(args, chain, folder, () => portOption(args, 'sv2port')),
    templates: readRows(args, { maxWeight: TEMPLATE_ROWS.maxWeight, reservedWeight: TEMPLATE_ROWS.reservedWeight }, compat),
    fleet: {
      ...broker,
      account: fleetWord('fleetaccount', args.text('fleetaccount') ?? 'fronts'),
      nodes,
      timeoutMs: args.strictInt('fleettimeout', 2000, 200, 600_000),
      marginSats: args.amount('fleetmargin', 10_000),
    },
    metrics: { port: portOption(args, 'metricsport'), host: args.text('metricsbind') ?? '127.0.0.1', names: args.list('metricshost') },
    log: {
      file: logFile === undefined || logFile === '' ? undefined : path.resolve(folder, logFile),
      console: args.bool('printtoconsole', true),
      categories: args.list('debug'),
      excluded: args.list('debugexclude'),
      timestamps: args.bool('logtimestamps', true),
      micros: args.bool('logtimemicros', false),
      threadNames: false,
      shrink: undefined,
      ips: false,
    },
    notes: [...args.warnings, ...args.loudWarnings.map((line) => `Warning: ${line}`)],
  };
}
