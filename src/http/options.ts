// What the HTTP server is told. Plain and cloneable: it crosses to every front thread. src/config fills it from -rpc*
// flags.
import { COMPATS, type Compat } from '../policy/compat.js';

/** One address to listen on; the host is a literal address or a name, without brackets. Port 0 takes any free port. */
export interface HttpBind {
  readonly host: string;
  readonly port: number;
}

/** One -rpcauth entry: hash is the lowercase hex HMAC-SHA256 of the password, keyed by the salt's text. */
export interface HashedCredential {
  readonly user: string;
  readonly salt: string;
  readonly hashHex: string;
}

/** Who may call. */
export interface HttpCredentials {
  /** Complete `user:password` texts: the cookie, or -rpcuser with -rpcpassword. */
  readonly plain: readonly string[];
  readonly hashed: readonly HashedCredential[];
}

/** -rpcwhitelist: method names by user; users without a list may call everything unless refuseOthers. */
export interface HttpWhitelist {
  readonly users: ReadonlyMap<string, readonly string[]>;
  readonly refuseOthers: boolean;
}

/** A subnet of -rpcallowip. */
export interface HttpSubnet {
  readonly address: string;
  readonly prefix: number;
}

/** Certificate and key of -rpctlscert and -rpctlskey, PEM files. */
export interface HttpTls {
  readonly certFile: string;
  readonly keyFile: string;
}

/** Options of the server. */
export interface HttpOptions {
  /** At least one must work; the others may fail with a warning in the log. */
  readonly binds: readonly HttpBind[];
  /** Front threads, 1 or more. */
  readonly fronts: number;
  /** Calls that one front may have under way on the node thread; beyond it `Work queue depth exceeded`. */
  readonly workQueue: number;
  /** Sockets that one front may have open; further ones are closed as they come. */
  readonly sockets: number;
  /** Seconds that a connection may be idle, that a head may take, or that a body or reply may make no progress. */
  readonly serverTimeoutSeconds: number;
  readonly credentials: HttpCredentials;
  readonly whitelist: HttpWhitelist;
  /** Besides 127.0.0.0/8 and ::1, which always may. */
  readonly allow: readonly HttpSubnet[];
  /** Bytes of a request body; Core: 0x02000000. */
  readonly bodyLimit: number;
  /** Speaks TLS on every bind; null: plain HTTP. */
  readonly tls: HttpTls | null;
  /** Whether there are wallets and their calls; without them help leaves them out. */
  readonly wallets: boolean;
  /** The version whose replies are given. */
  readonly compat: Compat;
  /** Requests with `"jsonrpc":"2.0"` are answered as later versions of Core do (-jsonrpc2). */
  readonly jsonRpc2: boolean;
  /** Folder of the block files when the REST interface is on (-rest); null: it is off. */
  readonly rest: string | null;
}

/** Defaults for everything that has one; credentials and binds have none. */
export const HTTP_DEFAULTS = {
  fronts: 1,
  // Core's 16 counts requests that wait for one of four threads. Here a call waits for a turn of one loop, and
  // thousands pass in the time Core needs for sixteen: the default only bounds memory.
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
  rest: null as string | null,
} as const;

/** What an operator gives; config checks users and resolves files. */
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
    'string',
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
