// Converts the -rpc* options to options of the HTTP server.
import net from 'node:net';
import { ConfigError, type NodeConfig } from '../config/index.js';
import { HTTP_DEFAULTS, type HttpBind, type HttpOptions, type HttpSubnet, type HttpWhitelist } from '../http/options.js';

const badSubnet = (text: string): ConfigError =>
  new ConfigError(
    `Invalid -rpcallowip subnet specification: ${text}. Valid are a single IP (e.g. 1.2.3.4), a network/netmask (e.g. 1.2.3.4/255.255.255.0) or a network/CIDR (e.g. 1.2.3.4/24).`,
  );

/** Returns the number of leading ones of a dotted netmask; undefined if it has gaps. */
function netmaskBits(mask: string): number | undefined {
  const bits = mask
    .split('.')
    .map((part) => Number(part).toString(2).padStart(8, '0'))
    .join('');
  return /^1*0*$/.test(bits) ? bits.replace(/0/g, '').length : undefined;
}

function parseSubnet(text: string): HttpSubnet {
  const [written, rest, more] = text.split('/') as [string, string?, string?];
  const address = /^\[.*:.*\]$/.test(written) ? written.slice(1, -1) : written;
  const family = net.isIP(address);
  if (family === 0 || more !== undefined) throw badSubnet(text);
  const widest = family === 4 ? 32 : 128;
  if (rest === undefined) return { address, prefix: widest };
  if (/^\d{1,3}$/.test(rest)) {
    if (Number(rest) > widest) throw badSubnet(text);
    return { address, prefix: Number(rest) };
  }
  const bits = family === 4 && net.isIPv4(rest) ? netmaskBits(rest) : undefined;
  if (bits === undefined) throw badSubnet(text);
  return { address, prefix: bits };
}

/**
 * Parses `host[:port]` of an option.
 * @throws ConfigError
 */
export function parseBind(text: string, port: number, option = 'rpcbind'): HttpBind {
  const match = /^(?:\[([^\]]+)\]|([^:]+)|(.*:.*:.*))(?::(\d{1,5}))?$/.exec(text);
  const host = match?.[1] ?? match?.[2] ?? match?.[3];
  const given = Number(match?.[4] ?? port);
  if (!host || given > 65535 || (given === 0 && match?.[4] !== undefined))
    throw new ConfigError(`Invalid port specified in -${option}: '${text}'`);
  return { host, port: given };
}

/** Parses -rpcwhitelist. Several lists of one user are intersected, as in Core. */
function parseWhitelist(entries: readonly string[], refuseOthers: boolean): HttpWhitelist {
  const users = new Map<string, string[]>();
  for (const entry of entries) {
    const colon = entry.indexOf(':');
    const user = colon < 0 ? entry : entry.slice(0, colon);
    const methods =
      colon < 0
        ? []
        : entry
            .slice(colon + 1)
            .split(/[ ,]+/)
            .filter((name) => name !== '');
    const before = users.get(user);
    users.set(user, before ? before.filter((name) => methods.includes(name)) : methods);
  }
  return { users, refuseOthers };
}

/**
 * Returns the credentials that are compared as plain text: the cookie, or user and password. Empty if there is neither,
 * so that only -rpcauth gives access.
 */
function plainCredentials({ user, password }: NodeConfig['rpc'], cookie: string | undefined): string[] {
  if (cookie !== undefined) return [cookie];
  return password === '' ? [] : [`${user}:${password}`];
}

/**
 * Returns the options of the HTTP server.
 * @param cookie the cookie's credential; undefined with -rpcpassword or without a cookie
 * @param warn lines for the log
 */
export function httpOptions(
  config: Pick<NodeConfig, 'rpc' | 'compat'> & { readonly wallet: { readonly enabled: boolean }; readonly blocksDir?: string },
  defaultPort: number,
  cookie: string | undefined,
  warn: (line: string) => void,
): HttpOptions {
  const { rpc } = config;
  const port = rpc.port ?? defaultPort;
  let binds: readonly HttpBind[] = [
    { host: '127.0.0.1', port },
    { host: '::1', port },
  ];
  if (rpc.binds.length > 0) {
    if (rpc.allow.length > 0) binds = rpc.binds.map((text) => parseBind(text, port));
    else warn('option -rpcbind was ignored because -rpcallowip was not specified, refusing to allow everyone to connect');
  } else if (rpc.allow.length > 0) {
    warn('option -rpcallowip was specified without -rpcbind; this does not make the node reachable from other machines');
  }
  // Open the second port of -rpclenientport, which existing configurations contain. It behaves like the RPC port.
  const { lenientPort } = rpc;
  if (lenientPort !== undefined && lenientPort !== port)
    binds = [...binds, ...[...new Set(binds.map(({ host }) => host))].map((host) => ({ host, port: lenientPort }))];
  return {
    ...HTTP_DEFAULTS,
    binds,
    fronts: rpc.fronts,
    workQueue: rpc.workQueue,
    sockets: rpc.sockets,
    serverTimeoutSeconds: rpc.serverTimeoutSeconds,
    tls: rpc.tls,
    wallets: config.wallet.enabled,
    compat: config.compat,
    jsonRpc2: rpc.jsonRpc2,
    rest: rpc.rest && config.blocksDir !== undefined,
    credentials: { plain: plainCredentials(rpc, cookie), hashed: rpc.auth },
    whitelist: parseWhitelist(rpc.whitelist, rpc.whitelistDefault),
    allow: rpc.allow.map(parseSubnet),
  };
}

/** Returns log lines about the authentication of callers, in Core's words. */
export function authenticationLines({ rpc, cookieFile }: Pick<NodeConfig, 'rpc' | 'cookieFile'>): string[] {
  const lines: string[] = [];
  if (rpc.password !== '') lines.push('Using rpcuser/rpcpassword authentication; -rpcauth keeps passwords out of files.');
  else
    lines.push(cookieFile === undefined ? 'RPC authentication cookie file generation is disabled.' : 'Using random cookie authentication.');
  if (rpc.auth.length > 0) lines.push('Using rpcauth authentication.');
  return lines;
}
