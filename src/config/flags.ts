// Every option of the daemon, one row each: Core 0.21.1's, so that existing command lines and bitcoin.conf files are
// taken, and adit's own. What an option does is written where it is read; rooms whose options.ts has rows are asked for
// them, and say flag, type, default and help themselves.

import { INDEX_ROWS } from '../indexes/options.js';
import { MEMPOOL_ROWS } from '../mempool/options.js';
import { NET_ROWS } from '../net/option-rows.js';
import { POLICY_ROWS } from '../policy/option-rows.js';
import { TEMPLATE_ROWS } from '../template/options.js';
import { flagOf } from './rows.js';

/** How an option's text is read. */
export type FlagKind = 'bool' | 'int' | 'string' | 'list' | 'amount';

/**
 * One option. `effect: 'none'` marks Core's options that adit takes and does not act on (yet); the log says so when one
 * is given.
 */
export interface Flag {
  readonly name: string;
  readonly kind: FlagKind;
  readonly category: string;
  readonly help?: string;
  /** Given in the default section of the configuration file while another chain is chosen: an error. */
  readonly networkOnly?: boolean;
  readonly effect?: 'none';
}

const flags: Flag[] = [];

function section(
  category: string,
  rows: readonly (readonly [name: string, kind: FlagKind, help?: string, more?: 'net' | 'none' | 'net none'])[],
): void {
  for (const [name, kind, help, more] of rows) {
    flags.push({
      name,
      kind,
      category,
      ...(help ? { help } : {}),
      ...(more?.startsWith('net') ? { networkOnly: true } : {}),
      ...(more?.endsWith('none') ? { effect: 'none' as const } : {}),
    });
  }
}

section('Options', [
  ['?', 'bool', 'Print this help and exit'],
  ['help', 'bool'],
  ['h', 'bool'],
  ['version', 'bool', 'Print the version and exit'],
  ['datadir', 'string', 'The data folder (default: ~/.adit); one that is named must exist'],
  ['conf', 'string', 'The configuration file, relative to the data folder (default: bitcoin.conf)'],
  ['blocksdir', 'string', 'Where block files live (default: the data folder)'],
  ['dbcache', 'int', 'Memory for coins and database caches, in MiB (default: 450, least 4)'],
  [
    'loadblock',
    'list',
    'Import blocks at start: a Core block file, a bootstrap file, a file with one block in hex per line, or the whole blocks folder of a stopped Core node (with its xor.dat), which is only read',
  ],
  ['par', 'int', 'Script verification threads (0: one per core, below 0: leave that many cores free; at most 16; default: 0)'],
  ['pid', 'string', 'Write the process id to this file (default: bitcoind.pid)'],
  ['assumevalid', 'string', 'Do not run the scripts of this block and its ancestors (0: run all)'],
  flagOf(MEMPOOL_ROWS.maxUsageBytes),
  flagOf(MEMPOOL_ROWS.expirySeconds),
  ['persistmempool', 'bool', 'Write the mempool to mempool.dat at the end and load it at the next start (default: 1)'],
  ['debuglogfile', 'string', 'The log file, relative to the network folder (default: debug.log; -nodebuglogfile: none)'],
  ['settings', 'string', 'File of options that calls change, relative to the network folder (default: settings.json; -nosettings: none)'],
  ['includeconf', 'list', 'A further configuration file; only inside a configuration file'],
  flagOf(INDEX_ROWS.tx),
  flagOf(INDEX_ROWS.spenders),
  ['blockfilterindex', 'list', 'Keep block filters (BIP-0158), for getblockfilter: basic, 1 for all types, 0 for none (default: 0)'],
  flagOf(INDEX_ROWS.coinStats),
  ['alertnotify', 'list', 'Run this command when something is wrong; %s is what'],
  ['blocknotify', 'list', 'Run this command for each new tip; %s is its hash'],
  ['startupnotify', 'list', 'Run this command once the node is up'],
  ['shutdownnotify', 'list', 'Run this command as the node stops, which does not wait for it'],
  ['notifyurl', 'list', 'POST new tips, starts and alerts to this URL as JSON'],
  flagOf(NET_ROWS.extraTxs),
  [
    'privatebroadcast',
    'bool',
    'Send what sendrawtransaction is given through Tor to a few peers, and not by way of the mempool (default: 0)',
  ],
  flagOf(NET_ROWS.blocksOnly),
  ['daemon', 'bool', undefined, 'none'],
  ['daemonwait', 'bool', undefined, 'none'],
  flagOf(NET_ROWS.feeFilter),
  flagOf(NET_ROWS.orphanScore),
  [
    'prune',
    'int',
    'Delete old blocks, not with -txindex, -txospenderindex or -blockfilterindex; going back takes -reindex, which downloads the whole chain again (0: keep all; 1: only when pruneblockchain asks; from 550: keep block and undo files below so many MiB; default: 0)',
  ],
  ['reindex', 'bool', 'Build block index, coins and indexes anew from the block files (default: 0)'],
  ['reindex-chainstate', 'bool', 'Build the coins anew from the stored blocks; not with -prune (default: 0)'],
  ['sysperms', 'bool', undefined, 'none'],
  ['dbbatchsize', 'int', 'Coins of more bytes than this are written in several batches (default: 16777216)'],
]);

section('Version', [
  [
    'compat',
    'string',
    '0.21.1 or 31: the version of Bitcoin Core whose replies, policy, descriptors, templates and defaults are followed; default: policy of 31, replies for clients of both (default: default; see docs/compatibility.md)',
  ],
]);

section('Chain selection', [
  ['chain', 'string', 'main, test, testnet4, signet or regtest (default: main)'],
  ['regtest', 'bool', 'Same as -chain=regtest: a private chain where blocks are made on demand'],
  ['signet', 'bool', 'Same as -chain=signet'],
  ['testnet', 'bool', 'Same as -chain=test (testnet3)'],
  ['testnet4', 'bool', 'Same as -chain=testnet4'],
  ['signetchallenge', 'string', 'The block script of a custom signet, in hex'],
  ['signetseednode', 'list', 'Names that are looked up for addresses of signet nodes, instead of the usual ones'],
  ['segwitheight', 'int', 'Activation height of segwit, regtest only (-1: never)'],
  ['testactivationheight', 'list', 'name@height: height from which segwit, bip34, dersig, cltv or csv holds, regtest only'],
  ['vbparams', 'list', 'deployment:start:end[:min_activation_height], regtest only'],
]);

section('Block creation', [
  flagOf(TEMPLATE_ROWS.maxWeight),
  flagOf(TEMPLATE_ROWS.minFeeRate),
  ['blockversion', 'int', 'Version of blocks made here, regtest only'],
  flagOf(TEMPLATE_ROWS.reservedWeight),
  flagOf(TEMPLATE_ROWS.mode),
  flagOf(TEMPLATE_ROWS.emptyFirst),
  flagOf(TEMPLATE_ROWS.longPollDeltaSats),
  flagOf(TEMPLATE_ROWS.longPollIntervalSeconds),
  flagOf(TEMPLATE_ROWS.checkTemplates),
  ['printpriority', 'bool', undefined, 'none'],
]);

section('Stratum V2', [
  ['sv2', 'bool', 'Serve templates to Stratum V2 pools and job declarators (default: 0)'],
  ['sv2bind', 'list', 'Address to listen on for them, host[:port] (default: 127.0.0.1)', 'net'],
  ['sv2port', 'int', 'Port for them (default: 8442, 18442, 48442, 38442, 18447 by network)', 'net'],
  [
    'sv2authoritykey',
    'string',
    'File of the authority key, relative to the network folder; made when it is not there (default: sv2_authority_key)',
  ],
  ['sv2interval', 'int', 'Seconds between two templates of the same tip (default: 5, least 1)'],
  ['sv2feedelta', 'int', 'A template follows another of the same tip when it pays so many satoshis more (default: 1000)'],
  ['sv2peraddress', 'int', 'Most Stratum V2 connections from one address of another machine (default: 64)'],
]);

section('Fleet', [
  [
    'fleet',
    'list',
    'Publish to and answer fronts on other machines (adit-front) over these NATS servers: nats://[user:password@]host[:port],... or tls://',
  ],
  ['fleetname', 'string', 'Name of this node in the fleet: letters, digits, - and _ (default: node)'],
  [
    'fleetkey',
    'string',
    'File of the key that signs what is published, relative to the network folder; made when it is not there (default: fleet_key)',
  ],
  ['fleetaccount', 'list', 'account[:method,method...]: fronts of this account may call, all methods or these alone; repeatable'],
  ['fleetreplicas', 'int', 'Servers of a NATS cluster that keep templates and found blocks (default: 1)'],
  ['fleetcreds', 'string', 'NATS credentials file, relative to the data folder'],
  ['fleettlsca', 'string', 'Certificate authority of the NATS servers, a PEM file relative to the data folder'],
  ['fleettlscert', 'string', 'Certificate to show to the NATS servers, a PEM file relative to the data folder; with -fleettlskey'],
  ['fleettlskey', 'string', "The certificate's key, a PEM file relative to the data folder"],
]);

section('RPC server', [
  ['server', 'bool', 'Answer JSON-RPC over HTTP (default: 1)'],
  ['rpcport', 'int', 'Port for JSON-RPC (default: 8332, 18332, 48332, 38332, 18443 by network)', 'net'],
  ['rpcbind', 'list', 'Address to listen on, host[:port]; only together with -rpcallowip (default: 127.0.0.1 and ::1)', 'net'],
  ['rpcallowip', 'list', 'Clients to admit: an address, address/netmask or address/bits; loopback always is'],
  [
    'rpclenientport',
    'int',
    'A second JSON-RPC port for clients with loose HTTP, such as ckpool and p2pool: bare line feeds, HTTP/1.0, no Host (default: none)',
    'net',
  ],
  ['rpctlscert', 'string', 'Speak TLS on the RPC port with this certificate, a PEM file relative to the data folder; with -rpctlskey'],
  ['rpctlskey', 'string', "The certificate's key, a PEM file relative to the data folder"],
  ['rpcuser', 'string', 'User name; with -rpcpassword, instead of the cookie'],
  ['rpcpassword', 'string', 'Password'],
  ['rpcauth', 'list', 'user:salt$hash, hash = HMAC-SHA256(salt, password) in hex; repeatable'],
  [
    'rpccookiefile',
    'string',
    'Where the cookie is written, relative to the network folder (default: .cookie; -norpccookiefile: no cookie)',
  ],
  ['rpccookieperms', 'string', 'Who may read the cookie: owner, group or all (default: owner)'],
  ['rpcwhitelist', 'list', 'user:method,method...: what this user may call; repeatable'],
  ['rpcwhitelistdefault', 'bool', 'Whether users without a list may call nothing (default: 1 when a list is given)'],
  ['rpcworkqueue', 'int', 'Calls under way on the node at most, per front (default: 1024)'],
  [
    'jsonrpc2',
    'bool',
    'Answer requests with "jsonrpc":"2.0" as JSON-RPC 2.0, as Core does since version 28; without it they get the replies of Core 0.21 (default: 0)',
  ],
  [
    'rpcservertimeout',
    'int',
    'Seconds before an idle or slow connection is closed; idle ones of the main port are closed after some 10 (default: 30)',
  ],
  ['rpcthreads', 'int', 'Taken from existing files: number of front threads, at most cores - 1; see -fronts'],
  ['fronts', 'int', 'Threads that serve HTTP (default: a quarter of the cores, 1 to 8)'],
  ['rpcserialversion', 'int', undefined, 'none'],
  ['rest', 'bool', 'Serve the REST interface on the RPC port, without credentials (default: 0)'],
  [
    'deprecatedrpc',
    'list',
    'Old behaviour: bumpfee (a PSBT for wallets without private keys), or banscore, getpeerinfo_addnode, whitelisted (members of getpeerinfo)',
  ],
]);

section('Metrics', [
  ['metricsport', 'int', 'Serve Prometheus metrics at /metrics on this port (default: none)'],
  ['metricshost', 'list', 'Name by which -metricsport may be asked, besides localhost and addresses; repeatable'],
  ['metricsbind', 'string', 'Address for -metricsport (default: 127.0.0.1)'],
]);

section('Node relay', [
  ['acceptnonstdtxn', 'bool', 'Take non-standard transactions, test chains only (default: 1 on testnet3, else 0)'],
  ...Object.values(POLICY_ROWS).map(flagOf),
  flagOf(MEMPOOL_ROWS.limitAncestorCount),
  flagOf(MEMPOOL_ROWS.limitAncestorSize),
  flagOf(MEMPOOL_ROWS.limitDescendantCount),
  flagOf(MEMPOOL_ROWS.limitDescendantSize),
  flagOf(MEMPOOL_ROWS.limitClusterCount),
  flagOf(MEMPOOL_ROWS.limitClusterSize),
  ['whitelistforcerelay', 'bool', 'Peers of -whitelist without named permissions may have known transactions passed on again (default: 0)'],
  ['whitelistrelay', 'bool', 'The same peers may send transactions despite -blocksonly (default: 1 without -blocksonly)'],
]);

section('Connection', [
  ['port', 'int', "Port for peers (default: the chain's own, 8333 on main, 18444 on regtest)", 'net'],
  ['listen', 'bool', 'Let peers connect (default: 1 unless -proxy or -connect)'],
  ['bind', 'list', 'Listen for peers at this address[:port][=onion] only; may be given more than once; =onion: for Tor', 'net'],
  ['whitebind', 'list', 'The same, with permissions for whoever comes in there: [permission,...@]address:port'],
  [
    'whitelist',
    'list',
    'Permissions for peers of an address or subnet: [noban,relay,forcerelay,mempool,download,addr,bloom,all,in,out@]subnet; out: for those that are called by -addnode and -connect, in: for those that come (default: in)',
  ],
  ['connect', 'list', 'Connect to this peer only; 0: to none', 'net'],
  ['addnode', 'list', 'Keep a connection to this peer, besides others', 'net'],
  ['seednode', 'list', 'Ask this peer for addresses of others, then leave it'],
  flagOf(NET_ROWS.maxConnections),
  flagOf(NET_ROWS.maxUploadBytes),
  flagOf(NET_ROWS.maxReceiveBytes),
  flagOf(NET_ROWS.maxSendBytes),
  flagOf(NET_ROWS.connectTimeoutMs),
  flagOf(NET_ROWS.peerTimeoutSeconds),
  flagOf(NET_ROWS.banSeconds),
  flagOf(NET_ROWS.active),
  ['onlynet', 'list', 'Connect to addresses of this network only: ipv4, ipv6, onion, i2p, cjdns'],
  ['proxy', 'string', 'Connect through this SOCKS5 proxy, host[:port]'],
  ['onion', 'string', 'Another SOCKS5 proxy for onion addresses (default: -proxy)'],
  flagOf(NET_ROWS.proxyRandomize),
  ['externalip', 'list', 'Tell peers that this is our address; a name is looked up at the start'],
  ['discover', 'bool', 'Tell peers of our address as others see it (default: 1 when listening without -externalip or -proxy)'],
  flagOf(NET_ROWS.dns),
  ['dnsseed', 'bool', 'Ask DNS seeds for addresses when few are known (default: 1 unless -connect)'],
  flagOf(NET_ROWS.forceDnsSeed),
  flagOf(NET_ROWS.fixedSeeds),
  ['peerbloomfilters', 'bool', 'Let light clients set filters for what they are told (BIP-0037; default: 0)'],
  flagOf(NET_ROWS.peerBlockFilters),
  [
    'asmap',
    'string',
    'A file that says which networks belong together, so that peers are chosen from different ones (without a name: ip_asn.map; default: none)',
  ],
  flagOf(NET_ROWS.v2Transport),
  ['listenonion', 'bool', 'Have Tor pass on to us what comes to an onion service of our own (default: 1 when listening)'],
  ['torcontrol', 'string', "Tor's control port, host[:port] (default: 127.0.0.1:9051)"],
  ['torpassword', 'string', "Password of Tor's control port (default: none; a cookie file is found by itself)"],
  ...(['upnp', 'natpmp'] as const).map((name) => [name, 'bool', undefined, 'none'] as const),
  ['maxtimeadjustment', 'int', undefined, 'none'],
]);

section('Debugging and testing', [
  ['debug', 'list', 'Log a category in detail (1 or all: every one)'],
  ['debugexclude', 'list', 'Leave a category out again'],
  ['logips', 'bool', 'Write addresses of peers to the log (default: 0)'],
  ['printtoconsole', 'bool', 'Write the log to the console too (default: 1)'],
  ['logtimestamps', 'bool', 'Begin each line of the log with the time (default: 1)'],
  ['logtimemicros', 'bool', 'Times in the log with microseconds (default: 0)'],
  ['logthreadnames', 'bool', 'Name the thread in each line of the log (default: 0)'],
  ['shrinkdebugfile', 'bool', 'Keep the newest 10 MB of debug.log at a start (default: 1 without -debug)'],
  ['announce', 'bool', 'Say on the console what the node listens on and what to try next (default: 0)'],
  ['mocktime', 'int', 'Start with this time instead of the real one, test chains only'],
  ['maxtipage', 'int', 'A tip older than this many seconds means initial block download (default: 86400)'],
  ['minimumchainwork', 'string', 'Least work of a chain before initial download may end, in hex'],
  ['checkpoints', 'bool', 'Refuse forks below known checkpoints (default: 1)'],
  ['maxsigcachesize', 'int', 'Memory for the script-execution cache, in MiB (default: 32)'],
  ['checkblocks', 'int', 'How many blocks to check at start (0: all; default: 6)'],
  ['checklevel', 'int', 'How thoroughly: 0 to 4, as verifychain (default: 3)'],
  ['stopatheight', 'int', 'Stop the node once the chain has this height (default: 0, never)'],
  ...(['checkaddrman', 'checkmempool', 'prevoutfetchthreads'] as const).map((name) => [name, 'int', undefined, 'none'] as const),
  ['loglevel', 'list', undefined, 'none'],
  ...(['inboundrelaypercent', 'txsendrate'] as const).map((name) => [name, 'int', undefined, 'none'] as const),
  ...(['loglevelalways', 'logratelimit', 'rpcdoccheck', 'capturemessages', 'txreconciliation', 'walletcrosschain'] as const).map(
    (name) => [name, 'bool', undefined, 'none'] as const,
  ),
  ...(['checkblockindex', 'stopafterblockimport', 'logsourcelocations'] as const).map((name) => [name, 'bool', undefined, 'none'] as const),
  ['fastprune', 'bool'],
  flagOf(NET_ROWS.advertiseLoopback),
  ['uacomment', 'list', 'Comment to add to the user agent'],
]);

section('Wallet', [
  ['disablewallet', 'bool', 'Run without wallets and their calls'],
  ['wallet', 'list', 'A wallet to load at the start, by name; may be given several times', 'net'],
  ['walletdir', 'string', 'The folder of all wallets (default: wallets in the folder of the network)', 'net'],
  ['addresstype', 'string', 'What getnewaddress gives: legacy, p2sh-segwit or bech32 (default: bech32)'],
  ['changetype', 'string', 'What change goes to: legacy, p2sh-segwit or bech32 (default: decided for each payment)'],
  ['keypool', 'int', 'Keys kept ready ahead of use (default: 1000)'],
  [
    'walletimage',
    'int',
    'Wallets with so many scripts, transactions and coins keep an image of their tables, which loads quickly; 0: none does (default: 50000)',
  ],
  ['rescan', 'bool', 'Look through past blocks for transactions of a wallet whenever it is loaded (default: 0)'],
  ['spendzeroconfchange', 'bool', 'Count and spend own change before it confirms (default: 1)'],
  ['signer', 'string', 'The command, with arguments apart by blanks, that speaks to devices which sign for wallets'],
  [
    'walletnotify',
    'string',
    'Run this command for each change of a transaction of a wallet; %s is its id, %w the wallet, %b and %h its block and height',
  ],
  ['paytxfee', 'amount', 'Fee rate of payments, BTC/kvB; estimated when 0 (default: 0)'],
  ['fallbackfee', 'amount', 'Fee rate paid when nothing can be estimated, BTC/kvB; 0 refuses the payment (default: 0)'],
  ['mintxfee', 'amount', 'The lowest fee rate of payments, BTC/kvB (default: 0.00001)'],
  ['maxtxfee', 'amount', 'The most a payment may cost, BTC (default: 0.10)'],
  ['discardfee', 'amount', 'Change that is dust at this fee rate goes to the fee, BTC/kvB (default: 0.0001)'],
  [
    'consolidatefeerate',
    'amount',
    'Below this fee rate payments may spend more coins than they need, BTC/kvB; not with -compat=0.21.1 (default: 0.0001)',
  ],
  ['maxapsfee', 'amount', 'What spending all coins of an address together may cost more, BTC; -1: not tried (default: 0)'],
  ['txconfirmtarget', 'int', 'Blocks within which payments should confirm, for the estimate (default: 6)'],
  ['walletrbf', 'bool', 'Payments can be replaced by others with a higher fee (default: 0, with -compat=31 1)'],
  ['walletbroadcast', 'bool', 'Payments go to the mempool and the peers (default: 1, with -blocksonly 0)'],
  ['avoidpartialspends', 'bool', 'Coins of one address are spent together, ten at most (default: 0)'],
  [
    'walletrejectlongchains',
    'bool',
    'No payment that the mempool would refuse for its unconfirmed ancestors (default: 0, with -compat=31 1)',
  ],
  ...(['flushwallet', 'privdb', 'unsafesqlitesync'] as const).map((name) => [name, 'bool', undefined, 'none'] as const),
  ['dblogsize', 'int', undefined, 'none'],
]);

section(
  'ZeroMQ',
  ['hashblock', 'hashtx', 'rawblock', 'rawtx', 'sequence'].flatMap((topic) => [
    [`zmqpub${topic}`, 'list', `Publish ${topic} at this address, such as tcp://127.0.0.1:28332`] as const,
    [`zmqpub${topic}hwm`, 'int', `Messages of ${topic} that may wait for a subscriber (default: 1000)`] as const,
  ]),
);

/** Every option, in the order of the help. */
export const allFlags: readonly Flag[] = flags;

/** The options by name. */
export const flagByName: ReadonlyMap<string, Flag> = new Map(flags.map((flag) => [flag.name, flag]));
