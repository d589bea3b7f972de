// Options of the RPC port: what the rows of the HTTP room say, with files and front threads resolved.
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

/** Who may read the cookie, as file modes. */
const cookieModes = { owner: 0o600, group: 0o640, all: 0o644 } as const;

/** Fronts without -fronts and -rpcthreads: the node thread answers no more of them than this. */
const MOST_FRONTS = 8;

/**
 * A quarter of the cores serves HTTP: the others are for scripts, and for the node thread behind the fronts.
 * @param threads -rpcthreads
 */
export function defaultFronts(cores: number, threads?: number): number {
  if (threads !== undefined) return Math.max(1, Math.min(threads, cores - 1));
  return Math.max(1, Math.min(Math.floor(cores / 4), MOST_FRONTS));
}

/**
 * Half of what the system lets the process open is for HTTP, the rest for files, peers and other ports: a database or a
 * block file that cannot be opened stops the chain.
 */
const HTTP_SHARE = 0.5;

/** The files of -rpctlscert and -rpctlskey, found to belong together before anything listens. */
function tlsFiles({ tlsCert: cert, tlsKey: key }: RowValues<typeof HTTP_ROWS>, baseDir: string): RpcConfig['tls'] {
  if (cert === undefined && key === undefined) return null;
  if (cert === undefined || key === undefined) throw new ConfigError('-rpctlscert and -rpctlskey have to be given together');
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
      throw new ConfigError('Invalid -rpcauth argument. Use user:salt$hash, as adit-cli -newrpcauth=USER prints it.');
    else args.warnings.push('Ignoring a malformed -rpcauth. Use user:salt$hash, as adit-cli -newrpcauth=USER prints it.');
  }
  return taken;
}

/** @param baseDir that files of certificates are relative to @throws ConfigError */
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

/** Where the cookie goes and who may read it. */
export interface CookieConfig {
  /** undefined with -norpccookiefile: no client is admitted by a cookie. */
  readonly cookieFile: string | undefined;
  /** File mode of the cookie. */
  readonly cookieMode: number;
}

/** @throws ConfigError for an unknown word, which Core refuses at the start of the server */
export function cookieOptions(args: Args, { cookie, cookieReaders }: RpcConfig, netDir: string): CookieConfig {
  if (!Object.hasOwn(cookieModes, cookieReaders))
    throw new ConfigError(`Invalid -rpccookieperms=${cookieReaders}; must be one of 'owner', 'group', or 'all'.`);
  const cookieFile = args.isNegated('rpccookiefile') || cookie === '' ? undefined : path.resolve(netDir, cookie);
  return { cookieFile, cookieMode: cookieModes[cookieReaders as keyof typeof cookieModes] };
}
