// Reads the options about peers, as the net module needs them. Hosts and ports stay text where a DNS lookup may be
// needed.
import {
  NET_ROWS,
  type NetAddress,
  type NetOptions,
  NO_PERMISSIONS,
  PEER_ROWS,
  type Permissions,
  parseHost,
  parseSubnet,
  SERVICE,
  splitHostPort,
} from '../net/options-face.js';
import { type Compat, follows, namesAdit } from '../policy/compat.js';
import { type Args, ConfigError } from './args.js';
import { hasProxy, type ProxyOptions, proxyOptions } from './proxy-options.js';
import { type RowValues, readRows } from './rows.js';
import { version } from './version.js';

/**
 * Characters allowed in comments of the user agent (BIP-0014): those that cannot be confused with the agent's own
 * syntax.
 */
const SAFE_COMMENT = /^[a-zA-Z0-9 .,;\-_?@]*$/;
const MAX_AGENT_BYTES = 256;
/** Characters of a host name or address. */
const HOST_NAME = /^[a-z0-9.:_-]+$/i;
const TOR_CONTROL_PORT = 9051;
const SAM_PORT = 7656;
/** Suffix of an address of -bind to which Tor connects. */
const ONION_MARK = '=onion';

/** Other options that concern the network. */
interface NetworkContext {
  readonly compat: Compat;
  /** True if old blocks are pruned and so not offered to peers. */
  readonly pruned: boolean;
  /** True if the node has block filters (-blockfilterindex). */
  readonly hasFilters: boolean;
  readonly logIps: boolean;
}

/** Reads the options about peers. @throws ConfigError with Core's texts */
export function networkOptions(
  args: Args,
  defaultPort: number,
  { compat, pruned, hasFilters, logIps }: NetworkContext,
): Partial<NetOptions> & Pick<NetOptions, 'blocksOnly'> {
  const { legacyPeers } = compat;
  const plain = readRows(args, NET_ROWS, compat);
  const given = readRows(args, PEER_ROWS, compat);
  const { maxConnections, v2Transport, peerBlockFilters } = plain;
  const port = portOf(args, legacyPeers) ?? defaultPort;
  const connectOnly = args.isSet('connect') || args.isNegated('connect');
  checkPlaces(args, compat);
  const proxied = hasProxy(args);
  const askedToListen = given.binds.length > 0 || given.whiteBinds.length > 0;
  // Core's parameter interactions: an explicit address turns listening on; a proxy or -connect turns it off.
  const listen = given.listen ?? (askedToListen || (!proxied && !connectOnly && (maxConnections > 0 || !follows(compat, 25))));
  if (!listen && askedToListen) throw new ConfigError('Cannot set -bind or -whitebind together with -listen=0');
  if (maxConnections < 0 && !legacyPeers) throw new ConfigError('-maxconnections must be greater or equal than zero');
  const i2pSam = samBridge(given.i2pSam);
  if (plain.forceDnsSeed && given.dnsSeed === false && follows(compat, 22))
    throw new ConfigError('Cannot set -forcednsseed to true when setting -dnsseed to false.');
  const listensOnion = listenOnion(given.listenOnion ?? listen, listen);
  const proxies = proxyOptions(args, { compat, listenOnion: listensOnion, hasI2p: i2pSam !== null });
  const { onlyNets } = proxies;
  const inTheClear = onlyNets.length === 0 || onlyNets.includes('ipv4') || onlyNets.includes('ipv6');
  if (!inTheClear && given.dnsSeed) {
    throw new ConfigError('Incompatible options: -dnsseed=1 was explicitly specified, but -onlynet forbids connections to IPv4/IPv6');
  }
  if (plain.peerTimeoutSeconds <= 0)
    throw new ConfigError(`peertimeout ${legacyPeers ? 'cannot be configured with a negative value' : 'must be a positive integer'}.`);
  if (peerBlockFilters && !hasFilters) throw new ConfigError('Cannot set -peerblockfilters without -blockfilterindex.');
  const implicit = implicitPermissions(given.forceRelay, given.relay, plain.blocksOnly);
  return {
    ...plain,
    maxConnections: Math.max(0, maxConnections),
    port,
    listen,
    binds: listen ? bindsOf(given, port, implicit, legacyPeers) : [],
    connect: given.connect.filter((value) => value !== '' && value !== '0'),
    connectOnly,
    addNodes: addNodes(args, given.addNodes),
    seedNodes: given.seedNodes,
    dnsSeed: given.dnsSeed ?? (!connectOnly && maxConnections > 0),
    whitelist: given.whitelist.map((text) => whitelisted(text, implicit, compat)),
    userAgent: agentOf(given.comments, compat),
    services:
      (pruned ? 0n : SERVICE.NETWORK) |
      // A test chain without segwit has no witness data.
      (args.text('segwitheight') === '-1' ? 0n : SERVICE.WITNESS) |
      SERVICE.NETWORK_LIMITED |
      (peerBlockFilters ? SERVICE.COMPACT_FILTERS : 0n) |
      (given.bloomFilters ? SERVICE.BLOOM : 0n) |
      (v2Transport ? SERVICE.P2P_V2 : 0n),
    ...proxies,
    torControl: listensOnion ? torControl(given.torControl, given.torPassword) : null,
    i2pSam,
    i2pAccept: given.i2pAccept ?? listen,
    ...externalAddresses(given.external, port),
    discover: given.discover ?? (!proxied && listen && !args.isSet('externalip')),
    legacyPeers,
    privateBroadcast:
      plain.privateBroadcast &&
      canBroadcastPrivately(args, proxies, { connectOnly, randomizes: plain.proxyRandomize, listensOnion, hasI2p: i2pSam !== null }),
    logIps,
  };
}

/** Returns the values of -addnode without empty ones. */
function addNodes(args: Args, given: readonly string[]): string[] {
  const named = given.filter((name) => name.trim() !== '');
  if (named.length < given.length) args.warnings.push('Ignoring empty -addnode value');
  return named;
}

/**
 * Throws if any option contains a malformed port, even if the option has no effect. Core does so since release 22.
 */
function checkPlaces(args: Args, compat: Compat): void {
  if (!follows(compat, 22)) return;
  for (const name of ['i2psam', 'onion', 'proxy', 'bind', 'rpcbind', 'torcontrol', 'whitebind']) {
    for (const text of args.list(name)) {
      const mark = name === 'proxy' || name === 'bind' ? text.lastIndexOf('=') : -1;
      const place = mark < 0 ? text : text.slice(0, mark);
      const isPath = place.startsWith('unix:') && (name === 'onion' || name === 'proxy');
      if (!isPath && splitHostPort(place, 1) === null) throw new ConfigError(`Invalid port specified in -${name}: '${text}'`);
    }
  }
}

/**
 * Returns true if private broadcast is possible: the node must reach Tor or I2P, and -connect must not restrict its
 * connections.
 * @throws ConfigError otherwise
 */
function canBroadcastPrivately(
  args: Args,
  { proxies, onionProxy, onionReachable, onlyNets }: ProxyOptions,
  ways: { connectOnly: boolean; randomizes: boolean; listensOnion: boolean; hasI2p: boolean },
): boolean {
  const wanted = 'Private broadcast of own transactions requested (-privatebroadcast),';
  const wants = (name: string): boolean => onlyNets.length === 0 || onlyNets.includes(name);
  // With an onion service Tor counts as reachable, because Tor's control port may report its proxy later.
  const hasTor = ways.listensOnion || (onionReachable && (onionProxy ?? proxies.onion) !== undefined);
  const onion = hasTor && wants('onion');
  if (!onion && !(ways.hasI2p && wants('i2p'))) {
    throw new ConfigError(`${wanted} but none of Tor or I2P networks is reachable`);
  }
  if (ways.connectOnly) {
    throw new ConfigError(
      `${wanted} but -connect is also configured. They are incompatible because the private broadcast needs to open new connections to randomly chosen Tor or I2P peers. Consider using -maxconnections=0 -addnode=... instead`,
    );
  }
  if (onion && !ways.randomizes) {
    args.loudWarnings.push(
      `${wanted.slice(0, -1)} and -proxyrandomize is disabled. Tor circuits for private broadcast connections may be correlated to other connections over Tor. For maximum privacy set -proxyrandomize=1.`,
    );
  }
  return true;
}

/** Returns -port. In 0.21.1 a 0 means the default. */
function portOf(args: Args, zeroIsDefault: boolean): number | undefined {
  if (!args.isSet('port')) return undefined;
  const text = args.text('port') ?? '';
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65535 || (Number(text) === 0 && !zeroIsDefault))
    throw new ConfigError(`Invalid port specified in -port: '${text}'`);
  return Number(text) === 0 ? undefined : Number(text);
}

/**
 * Builds the user agent (BIP-0014). adit's name is the first comment if -compat allows it. adit's name is left out if the
 * operator's comments need the space.
 */
function agentOf(comments: readonly string[], compat: Compat): string {
  for (const comment of comments) {
    if (!SAFE_COMMENT.test(comment)) throw new ConfigError(`User Agent comment (${comment}) contains unsafe characters.`);
  }
  const withComments = (list: readonly string[]): string =>
    `/Satoshi:${compat.coreVersion.text}${list.length === 0 ? '' : `(${list.join('; ')})`}/`;
  const named = withComments([`adit ${version}`, ...comments]);
  if (namesAdit(compat) && named.length <= MAX_AGENT_BYTES) return named;
  const agent = withComments(comments);
  if (agent.length > MAX_AGENT_BYTES) {
    throw new ConfigError(
      `Total length of network version string (${agent.length}) exceeds maximum length (${MAX_AGENT_BYTES}). Reduce the number or size of uacomments.`,
    );
  }
  return agent;
}

function bindsOf(
  { binds, whiteBinds }: RowValues<typeof PEER_ROWS>,
  port: number,
  implicit: Permissions,
  legacyPeers: boolean,
): NetOptions['binds'] {
  const named = binds.map((text) => {
    const onion = text.endsWith(ONION_MARK);
    return {
      ...endpoint(onion ? text.slice(0, -ONION_MARK.length) : text, onion ? port + 1 : port, 'bind'),
      permissions: null,
      onion,
      required: true,
    };
  });
  const white = whiteBinds.map((text) => {
    const { names, rest } = permissionsIn(text);
    const at = endpoint(rest, 0, 'whitebind');
    if (at.port === 0) throw new ConfigError(`Need to specify a port with -whitebind: '${rest}'`);
    return { ...at, permissions: permissionsOf(names, implicit), onion: false, required: true };
  });
  const asked = [...named, ...white];
  const seen = new Set<string>();
  for (const { host, port: at } of asked) {
    const text = `${host.includes(':') ? `[${host}]` : host}:${at}`;
    if (seen.has(text)) {
      throw new ConfigError(
        `Duplicate binding configuration for address ${text}. Please check your -bind, -bind=...=onion and -whitebind settings.`,
      );
    }
    seen.add(text);
  }
  if (asked.length > 0) return asked;
  // Default addresses, without -bind and -whitebind. IPv6 may fail. With -compat=0.21.1 it is enough if one address works.
  const places = ['0.0.0.0', '::'].map((host) => ({
    host,
    port,
    permissions: null,
    onion: false,
    required: host === '0.0.0.0' && !legacyPeers,
  }));
  if (port < 65_535) places.push({ host: '127.0.0.1', port: port + 1, permissions: null, onion: true, required: false });
  return places;
}

function endpoint(text: string, port: number, option: string): { host: string; port: number } {
  const parts = splitHostPort(text, port);
  if (parts === null || parseHost(parts.host, parts.port) === null) throw new ConfigError(`Cannot resolve -${option} address: '${text}'`);
  return parts;
}

/** Splits the value of -whitelist or -whitebind, such as `noban,mempool@address`. */
function permissionsIn(text: string): { names: readonly string[] | null; rest: string } {
  const at = text.indexOf('@');
  if (at < 0) return { names: null, rest: text };
  return {
    names: text
      .slice(0, at)
      .split(',')
      .filter((name) => name !== ''),
    rest: text.slice(at + 1),
  };
}

/**
 * Returns the permissions for values of -whitelist and -whitebind that name no permissions. Core's parameter
 * interactions: -whitelistforcerelay implies -whitelistrelay; -blocksonly turns -whitelistrelay off unless the operator
 * sets it.
 */
function implicitPermissions(forcerelay: boolean, relay: boolean | undefined, blocksOnly: boolean): Permissions {
  return {
    ...NO_PERMISSIONS,
    noban: true,
    mempool: true,
    download: true,
    implicit: true,
    forcerelay,
    relay: forcerelay || (relay ?? !blocksOnly),
  };
}

/**
 * Returns the permissions that a value names.
 * @param names names in the value; null if it contains none
 * @param implicit permissions for a value without names
 */
function permissionsOf(names: readonly string[] | null, implicit: Permissions): Permissions {
  if (names === null) return implicit;
  const granted: Record<keyof Permissions, boolean> = { ...NO_PERMISSIONS };
  for (const name of names) {
    if (name === 'all') for (const key of Object.keys(granted)) granted[key as keyof Permissions] = key !== 'implicit';
    else if (name === 'bloom') granted.bloomfilter = true;
    else if (name !== 'implicit' && Object.hasOwn(granted, name)) granted[name as keyof Permissions] = true;
    else throw new ConfigError(`Invalid P2P permission: '${name}'`);
  }
  if (granted.forcerelay) granted.relay = true;
  if (granted.noban) granted.download = true;
  return granted;
}

function whitelisted(text: string, implicit: Permissions, compat: Compat): NetOptions['whitelist'][number] {
  const { names: words, rest } = permissionsIn(text);
  const named = (['in', 'out'] as const).filter((way) => words?.includes(way));
  const names = words?.filter((name) => name !== 'in' && name !== 'out') ?? null;
  if (names?.length === 0 && named.length > 0 && follows(compat, 28))
    throw new ConfigError(`Only direction was set, no permissions: '${text}'`);
  const subnet = parseSubnet(rest);
  if (subnet === null) throw new ConfigError(`Invalid netmask specified in -whitelist: '${rest}'`);
  return { subnet, permissions: permissionsOf(names, implicit), ways: named.length === 0 ? ['in'] : named };
}

/** Returns whether to create an onion service. @throws ConfigError if the node does not listen */
function listenOnion(wanted: boolean, listen: boolean): boolean {
  if (wanted && !listen) throw new ConfigError('Cannot set -listen=0 together with -listenonion=1');
  return wanted;
}

/** Parses -torcontrol. */
function torControl(text: string, password: string): NetOptions['torControl'] {
  const place = splitHostPort(text, TOR_CONTROL_PORT);
  if (place === null) throw new ConfigError(`Invalid -torcontrol address or hostname: '${text}'`);
  return { ...place, password };
}

/** Parses -i2psam. */
function samBridge(text: string): NetOptions['i2pSam'] {
  if (text === '') return null;
  const place = splitHostPort(text, SAM_PORT);
  if (place === null) throw new ConfigError(`Invalid port specified in -i2psam: '${text}'`);
  // 0 is a short form of 0.0.0.0, to which no connection is possible.
  if (!HOST_NAME.test(place.host) || place.host === '0' || place.host.includes('..'))
    throw new ConfigError(`Invalid -i2psam address or hostname: '${text}'`);
  return place;
}

/** Parses -externalip: addresses, and names that need a DNS lookup. */
function externalAddresses(texts: readonly string[], port: number): Pick<NetOptions, 'externalAddresses' | 'externalNames'> {
  const addresses: NetAddress[] = [];
  const names: NetOptions['externalNames'][number][] = [];
  for (const text of texts) {
    const parts = splitHostPort(text, port);
    if (parts === null || !HOST_NAME.test(parts.host)) throw new ConfigError(`Cannot resolve -externalip address: '${text}'`);
    const address = parseHost(parts.host, parts.port);
    if (address !== null) addresses.push(address);
    else names.push({ text, ...parts });
  }
  return { externalAddresses: addresses, externalNames: names };
}
