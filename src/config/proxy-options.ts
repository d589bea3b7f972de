// Reads -proxy, -onion and -onlynet: the proxies to peers. Checks that the networks of -onlynet can be reached. Texts and
// rules are those of Core's init.cpp.
import { type NetOptions, type ProxyPlace, splitHostPort } from '../net/options-face.js';
import { type Compat, follows } from '../policy/compat.js';
import { type Args, ConfigError } from './args.js';

const SOCKS_PORT = 9050;
const UNIX_PREFIX = 'unix:';
/** Largest length of a Unix socket's path on Linux. */
const MAX_PATH_BYTES = 107;
const NETWORKS = ['ipv4', 'ipv6', 'onion', 'i2p', 'cjdns'];

export type ProxyOptions = Pick<NetOptions, 'proxies' | 'onionProxy' | 'onionReachable' | 'onlyNets'>;

/** Other options that decide whether a network can be reached. */
interface Ways {
  readonly compat: Compat;
  /** True if adit requests an onion service from Tor's control port, which then also reports Tor's proxy. */
  readonly listenOnion: boolean;
  /** True if -i2psam is given. */
  readonly hasI2p: boolean;
}

/** Returns whether -proxy sets a proxy. If so, -listen and -discover are off by default. */
export function hasProxy(args: Args): boolean {
  const text = args.text('proxy') ?? '';
  return text !== '' && text !== '0';
}

/** Reads -proxy, -onion and -onlynet. @throws ConfigError in Core's words */
export function proxyOptions(args: Args, { compat, listenOnion, hasI2p }: Ways): ProxyOptions {
  const onlyNets = args.list('onlynet').map((name) => name.toLowerCase());
  for (const [i, name] of onlyNets.entries()) {
    if (!NETWORKS.includes(name)) throw new ConfigError(`Unknown network specified in -onlynet: '${args.list('onlynet')[i]}'`);
  }
  const onion = args.isNegated('onion') ? '0' : (args.text('onion') ?? '');
  const onionReachable = onion !== '0';
  const onionProxy = onion === '' || onion === '0' ? null : proxyPlace(onion, 'onion');
  const given = follows(compat, 30) ? proxiesByNetwork(args) : oneProxy(args);
  const { onion: ofTor, ...others } = given;
  const proxies = onionReachable || !follows(compat, 22) ? given : others;
  if (follows(compat, 23) && onlyNets.includes('onion')) {
    const restricted = 'Outbound connections restricted to Tor (-onlynet=onion) but the proxy for reaching the Tor network is';
    if (!onionReachable) throw new ConfigError(`${restricted} explicitly forbidden: -onion=0`);
    if (onionProxy === null && ofTor === undefined && !listenOnion)
      throw new ConfigError(`${restricted} not provided: none of -proxy, -onion or -listenonion is given`);
  }
  if (onlyNets.includes('i2p') && !hasI2p) {
    throw new ConfigError('Outbound connections restricted to i2p (-onlynet=i2p) but -i2psam is not provided');
  }
  if (follows(compat, 23) && onlyNets.includes('cjdns') && !args.isSet('cjdnsreachable')) {
    throw new ConfigError('Outbound connections restricted to CJDNS (-onlynet=cjdns) but -cjdnsreachable is not provided');
  }
  if (onlyNets.length > 0 && onlyNets.every((name) => name === 'cjdns') && follows(compat, 23))
    throw new ConfigError(
      'Outbound connections restricted to CJDNS (-onlynet=cjdns) but adit cannot connect to CJDNS. Add another network.',
    );
  return { proxies, onionProxy, onionReachable, onlyNets };
}

/** Reads -proxy as Core did up to release 29: one proxy for all networks. */
function oneProxy(args: Args): ProxyOptions['proxies'] {
  if (args.text('proxy') === '') throw new ConfigError('No proxy server specified. Use -proxy=<ip> or -proxy=<ip:port>.');
  return hasProxy(args) ? forAll(proxyPlace(args.text('proxy') as string, 'proxy')) : {};
}

const forAll = (place: ProxyPlace): ProxyOptions['proxies'] => ({ ipv4: place, ipv6: place, onion: place, cjdns: place, names: place });

/**
 * Reads -proxy as Core does since release 30: each value is for all networks, or for the one after its `=`. An empty value
 * removes proxies. The command line wins over the file; in Core the file wins.
 */
function proxiesByNetwork(args: Args): ProxyOptions['proxies'] {
  let proxies: Record<string, ProxyPlace> = {};
  for (const text of args.list('proxy', true)) {
    const mark = text.lastIndexOf('=');
    const where = mark < 0 ? text : text.slice(0, mark);
    const network = mark < 0 ? '' : text.slice(mark + 1).toLowerCase();
    if (mark >= 0 && network === '') throw new ConfigError(`Invalid -proxy address or hostname, ends with '=': '${text}'`);
    const place = where === '' || where === '0' ? null : proxyPlace(where, 'proxy');
    // A proxy for IPv4 or IPv6 also connects to peers given by host name.
    const reached = { ipv4: ['ipv4', 'names'], ipv6: ['ipv6', 'names'], onion: ['onion'], cjdns: ['cjdns'] }[network];
    if (network !== '' && reached === undefined) throw new ConfigError(`Unrecognized network in -proxy='${text}': '${network}'`);
    if (reached === undefined) proxies = place === null ? {} : { ...forAll(place) };
    else {
      for (const name of reached) {
        if (place === null) delete proxies[name];
        else proxies[name] = place;
      }
    }
  }
  return proxies;
}

/** Parses the address of a proxy. @throws ConfigError */
function proxyPlace(text: string, option: 'proxy' | 'onion'): ProxyPlace {
  const path = text.startsWith(UNIX_PREFIX) ? text.slice(UNIX_PREFIX.length) : '';
  if (path !== '' && Buffer.byteLength(path) <= MAX_PATH_BYTES) return { path };
  const place = splitHostPort(text, SOCKS_PORT);
  if (place === null || place.host === '' || path !== '') throw new ConfigError(`Invalid -${option} address or hostname: '${text}'`);
  return place;
}
