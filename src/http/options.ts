// Options of the HTTP server. Plain and cloneable, because they are posted to every front thread. src/config fills them
// from the -rpc* options.
import { COMPATS, type Compat } from '../policy/compat.js';

/**
 * One address to listen on. The host is a literal address or a name, without brackets. Port 0 selects any free port.
 */
export interface HttpBind {
  readonly host: string;
  readonly port: number;
}

/** One -rpcauth entry. `hashHex` is the HMAC-SHA256 of the password with the salt's text as key, in lower-case hex. */
export interface HashedCredential {
  readonly user: string;
  readonly salt: string;
  readonly hashHex: string;
}

/** Credentials of the users who may call. */
export interface HttpCredentials {
  /** Complete `user:password` texts: the cookie, or -rpcuser with -rpcpassword. */
  readonly plain: readonly string[];
  readonly hashed: readonly HashedCredential[];
}

/** -rpcwhitelist: method names by user. Users without a list may call everything unless `refuseOthers` is set. */
export interface HttpWhitelist {
  readonly users: ReadonlyMap<string, readonly string[]>;
  readonly refuseOthers: boolean;
}

/** A subnet of -rpcallowip. */
export interface HttpSubnet {
  readonly address: string;
  readonly prefix: number;
}

/** Certificate and key of -rpctlscert and -rpctlskey: paths of PEM files. */
export interface HttpTls {
  readonly certFile: string;
  readonly keyFile: string;
}

/** Options of the HTTP server. */
export interface HttpOptions {
  /** Addresses to listen on. At least one of them must work. The server logs a warning for each address that does not. */
  readonly binds: readonly HttpBind[];
  /** Number of front threads, at least 1. */
  readonly fronts: number;
  /**
   * Maximum number of calls that one front may have in progress on the node thread. The reply to a further call is
   * `Work queue depth exceeded`.
   */
  readonly workQueue: number;
  /** Maximum number of sockets that one front may have open. A further socket is closed at once. */
  readonly sockets: number;
  /** Seconds that a connection may be idle, that a head may take, or that a body or reply may make no progress. */
  readonly serverTimeoutSeconds: number;
  readonly credentials: HttpCredentials;
  readonly whitelist: HttpWhitelist;
  /** Subnets that may connect, in addition to 127.0.0.0/8 and ::1. */
  readonly allow: readonly HttpSubnet[];
  /** Maximum size in bytes of a request body (Core: 0x02000000). */
  readonly bodyLimit: number;
  /** TLS for every address; null: plain HTTP. */
  readonly tls: HttpTls | null;
  /** True if wallets are enabled. Without them their methods do not exist and help omits them. */
  readonly wallets: boolean;
  /** Release of Core whose replies the server gives (-compat). */
  readonly compat: Compat;
  /** True if requests with `"jsonrpc":"2.0"` are answered as later releases of Core do (-jsonrpc2). */
  readonly jsonRpc2: boolean;
  /** True if the REST interface is on (-rest). */
  readonly rest: boolean;
}

/** Default values of the options, except credentials and addresses, which have no defaults. */
export const HTTP_DEFAULTS = {
  fronts: 1,
  // Core's default of 16 counts requests that wait for one of four threads. Here a call waits for one event loop, and
  // thousands of calls run in the time that Core needs for sixteen. The default only limits memory.
  workQueue: 1024,
  sockets: Number.POSITIVE_INFINITY,
  serverTimeoutSeconds: 30,
  whitelist: { users: new Map(), refuseOthers: false } as HttpWhitelist,
  allow: [] as readonly HttpSubnet[],
  bodyLimit: 0x0200_0000,
  tls: null as HttpTls | null,
  wallets: true,
  compat: COMPATS.default,
  jsonRpc2: false,
  rest: false,
} as const;

/** Options of the operator. src/config checks users and resolves file names. */
export const HTTP_ROWS = {
  enabled: ['server', 'bool', 'Serve JSON-RPC over HTTP', true],
  port: ['rpcport', 'port', 'Port for JSON-RPC (default: 8332, 18332, 48332, 38332, 18443 by network)'],
  binds: [
    'rpcbind',
    'list',
    'Address to listen on for JSON-RPC, host[:port]. Only takes effect together with -rpcallowip (default: 127.0.0.1 and ::1)',
  ],
  allow: [
    'rpcallowip',
    'list',
    'Allow JSON-RPC from this address, address/netmask or address/bits. Loopback is always allowed. Can be given several times',
  ],
  lenientPort: ['rpclenientport', 'port', 'Open a second port that behaves like -rpcport. No client needs it (default: none)'],
  tlsCert: [
    'rpctlscert',
    'string',
    'Use TLS on the RPC port with this certificate, a PEM file relative to the data folder. Requires -rpctlskey',
  ],
  tlsKey: ['rpctlskey', 'string', 'Private key of the certificate, a PEM file relative to the data folder'],
  user: ['rpcuser', 'string', 'User name for JSON-RPC. Together with -rpcpassword it replaces the cookie', ''],
  password: ['rpcpassword', 'string', 'Password', ''],
  auth: [
    'rpcauth',
    'list',
    'User and password hash, as user:salt$hash with hash = HMAC-SHA256(salt, password) in hex. adit-cli -newrpcauth=<user> makes one. Can be given several times',
  ],
  cookie: [
    'rpccookiefile',
    'filled',
    'File of the authentication cookie, relative to the network folder (default: {default}; -norpccookiefile: no cookie)',
    '.cookie',
  ],
  cookieReaders: ['rpccookieperms', 'string', 'Who may read the cookie: owner, group or all', 'owner'],
  whitelist: ['rpcwhitelist', 'list', 'Methods that a user may call, as user:method,method... Can be given several times'],
  whitelistDefault: [
    'rpcwhitelistdefault',
    'bool',
    '1: users without -rpcwhitelist may call nothing. 0: they may call everything (default: 1 if -rpcwhitelist is given)',
  ],
  workQueue: [
    'rpcworkqueue',
    'int',
    'Maximum number of calls in progress on the node thread, for each front thread',
    HTTP_DEFAULTS.workQueue,
    { least: 1 },
  ],
  jsonRpc2: [
    'jsonrpc2',
    'bool',
    'Answer requests with "jsonrpc":"2.0" as JSON-RPC 2.0, as Core does since version 28. With 0 they get the replies of Core 0.21',
    ({ jsonRpc2 }: Compat) => jsonRpc2,
  ],
  serverTimeoutSeconds: [
    'rpcservertimeout',
    'int',
    'Close an idle or slow connection after this many seconds',
    HTTP_DEFAULTS.serverTimeoutSeconds,
    { least: 1 },
  ],
  threads: ['rpcthreads', 'int', 'Number of front threads if -fronts is not given, at most cores - 1. For existing configuration files'],
  fronts: [
    'fronts',
    'whole',
    'Number of threads that serve HTTP (default: a quarter of the cores, 1 to 8)',
    undefined,
    { least: 1, most: 64 },
  ],
  rest: ['rest', 'bool', 'Serve the REST interface on the RPC port, without credentials', false],
} as const;
