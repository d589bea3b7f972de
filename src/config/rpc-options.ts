// Reads the options of the RPC port. Resolves files and the number of front threads.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createSecureContext } from 'node:tls';
import { type HashedCredential, HTTP_ROWS, type HttpTls } from '../http/options.js';
import { mostOpenFiles } from '../lib/most-open-files.js';
import { type Compat, follows } from '../policy/compat.js';
import { type Args, ConfigError } from './args.js';
import { type RowValues, readRows } from './rows.js';

export interface RpcConfig extends Omit<RowValues<typeof HTTP_ROWS>, 'auth' | 'fronts' | 'whitelistDefault'> {
  readonly auth: readonly HashedCredential[];
  readonly whitelistDefault: boolean;
  readonly tls: HttpTls | null;
  readonly fronts: number;
  readonly sockets: number;
}

/** File modes of the cookie. */
const cookieModes = { owner: 0o600, group: 0o640, all: 0o644 } as const;

/** Maximum number of front threads by default, without -fronts and -rpcthreads. The node thread cannot serve more. */
const MOST_FRONTS = 8;

/**
 * Returns the default number of front threads: -rpcthreads if it is given, otherwise a quarter of the cores. The other
 * cores are for scripts and for the node thread.
 * @param threads value of -rpcthreads
 */
export function defaultFronts(cores: number, threads?: number): number {
  if (threads !== undefined) return Math.max(1, Math.min(threads, cores - 1));
  return Math.max(1, Math.min(Math.floor(cores / 4), MOST_FRONTS));
}

/**
 * Share of the process's file descriptors for HTTP. The rest is for files, peers, and other ports: if a database or
 * block file cannot be opened, the chain stops.
 */
const HTTP_SHARE = 0.5;

/** Returns the files of -rpctlscert and -rpctlskey, after checking that they belong together. @throws ConfigError */
function tlsFiles({ tlsCert: cert, tlsKey: key }: RowValues<typeof HTTP_ROWS>, baseDir: string): RpcConfig['tls'] {
  if (cert === undefined && key === undefined) return null;
  if (cert === undefined || key === undefined) throw new ConfigError('-rpctlscert and -rpctlskey must be set together');
  const files = { certFile: path.resolve(baseDir, cert), keyFile: path.resolve(baseDir, key) };
  try {
    createSecureContext({ cert: fs.readFileSync(files.certFile), key: fs.readFileSync(files.keyFile) });
  } catch (error) {
    throw new ConfigError(`-rpctlscert and -rpctlskey cannot be used: ${(error as Error).message}`);
  }
  return files;
}

/**
 * Parses one -rpcauth, user:salt$hash. Release 21 accepted any three parts that are separated by `:` or `$`.
 * @returns null if it is malformed
 */
function hashedCredential(text: string, compat: Compat): HashedCredential | null {
  const pattern = follows(compat, 22) ? /^([^:]*):([^:$]*)\$([^:$]*)$/ : /^([^:$]*)[:$]([^:$]*)[:$]([^:$]*)$/;
  const [, user, salt, hash] = pattern.exec(text) ?? [];
  return hash === undefined ? null : { user: user as string, salt: salt as string, hashHex: hash.toLowerCase() };
}

/** Reads all -rpcauth. 0.21.1 ignores malformed ones. */
function hashedCredentials(args: Args, given: readonly string[], compat: Compat): HashedCredential[] {
  const taken: HashedCredential[] = [];
  for (const text of given) {
    const credential = hashedCredential(text, compat);
    if (credential !== null) taken.push(credential);
    else if (follows(compat, 22))
      throw new ConfigError('Invalid -rpcauth argument. Use user:salt$hash, as printed by adit-cli -newrpcauth=USER.');
    else args.warnings.push('Ignoring a malformed -rpcauth. Use user:salt$hash, as printed by adit-cli -newrpcauth=USER.');
  }
  return taken;
}

/** Reads the options of the RPC port. @param baseDir folder to which file names are relative @throws ConfigError */
export function rpcOptions(args: Args, baseDir: string, compat: Compat): RpcConfig {
  const given = readRows(args, HTTP_ROWS, compat);
  const fronts = given.fronts ?? defaultFronts(os.availableParallelism(), given.threads);
  return {
    ...given,
    auth: given.enabled ? hashedCredentials(args, given.auth, compat) : [],
    fronts,
    sockets: Math.floor(((mostOpenFiles() ?? Number.POSITIVE_INFINITY) * HTTP_SHARE) / fronts),
    whitelistDefault: given.whitelistDefault ?? given.whitelist.length > 0,
    tls: tlsFiles(given, baseDir),
  };
}

/** Path and file mode of the cookie. */
export interface CookieConfig {
  /** Undefined with -norpccookiefile: no client can authenticate with a cookie. */
  readonly cookieFile: string | undefined;
  /** File mode of the cookie. */
  readonly cookieMode: number;
}

/**
 * Reads the options of the cookie.
 * @throws ConfigError for an unknown value, for which Core does not start its server
 */
export function cookieOptions(args: Args, { cookie, ...given }: RpcConfig, netDir: string): CookieConfig {
  const cookieReaders = args.isNegated('rpccookieperms') ? '0' : given.cookieReaders;
  if (!Object.hasOwn(cookieModes, cookieReaders))
    throw new ConfigError(`Invalid -rpccookieperms=${cookieReaders}; must be one of 'owner', 'group', or 'all'.`);
  const cookieFile = args.isNegated('rpccookiefile') ? undefined : path.resolve(netDir, cookie);
  return { cookieFile, cookieMode: cookieModes[cookieReaders as keyof typeof cookieModes] };
}
