// All options of the daemon in the order of the help: Core 0.21.1's, so that existing command lines and bitcoin.conf
// files work, and adit's own. Each module describes its options in rows (rows.ts).

import { CHAIN_ROWS } from '../chain/options.js';
import { HTTP_ROWS } from '../http/options.js';
import { INDEX_ROWS } from '../indexes/options.js';
import { LOG_ROWS } from '../log/options.js';
import { MEMPOOL_ROWS } from '../mempool/options.js';
import { METRICS_ROWS } from '../metrics/options.js';
import { NET_ROWS, PEER_ROWS } from '../net/options-face.js';
import { NOTIFY_ROWS, zmqRows, zmqTopics } from '../notify/options.js';
import { POLICY_ROWS } from '../policy/option-rows.js';
import { STRATUM_WORK_ROWS } from '../stratum/options.js';
import { STRATUM_LISTEN_ROWS } from '../stratum/serve/options.js';
import { SV2_ROWS } from '../sv2/options.js';
import { TEMPLATE_ROWS } from '../template/options.js';
import { SPEND_ROWS, WALLET_ROWS } from '../wallet/options-face.js';
import { BROKER_ROWS, FLEET_ROWS, OWN_ROWS } from './own-rows.js';
import { helpOf, type OptionRow } from './rows.js';

/** Type of an option's value. */
export type FlagKind = 'bool' | 'int' | 'string' | 'list' | 'amount';

/**
 * An option. `effect: 'none'` marks options of Core that adit accepts without effect; the log warns if one is given.
 */
export interface Flag {
  readonly name: string;
  readonly kind: FlagKind;
  readonly category: string;
  readonly help?: string;
  /**
   * True if it is an error to give the option in the default section of the configuration file while another network is
   * selected.
   */
  readonly networkOnly?: boolean;
  /** True if `-name` without `=` is refused. */
  readonly needsValue?: boolean;
  /** True if `-noname` is refused. */
  readonly noNegation?: boolean;
  readonly effect?: 'none';
}

const moduleRows: readonly Readonly<Record<string, OptionRow>>[] = [
  OWN_ROWS,
  CHAIN_ROWS,
  MEMPOOL_ROWS,
  INDEX_ROWS,
  POLICY_ROWS,
  TEMPLATE_ROWS,
  NET_ROWS,
  PEER_ROWS,
  SV2_ROWS,
  STRATUM_LISTEN_ROWS,
  STRATUM_WORK_ROWS,
  BROKER_ROWS,
  FLEET_ROWS,
  HTTP_ROWS,
  METRICS_ROWS,
  NOTIFY_ROWS,
  ...zmqTopics.map(zmqRows),
  LOG_ROWS,
  WALLET_ROWS,
  SPEND_ROWS,
];
/** Option rows of all modules, by name of the option. */
export const optionRows: ReadonlyMap<string, OptionRow> = new Map(
  moduleRows.flatMap((rows) => Object.values(rows)).map((row) => [row[0], row]),
);

/** Core's options that have no effect in adit, by type. */
const unused: Readonly<Record<string, string>> = {
  bool: `
    persistmempoolv1 cjdnsreachable forcecompactdb choosedatadir min resetguisettings splash
    sysperms printpriority upnp natpmp logratelimit rpcdoccheck capturemessages
    txreconciliation walletcrosschain checkblockindex logsourcelocations flushwallet privdb
    unsafesqlitesync`,
  int: `
    dbcrashratio rpcserialversion maxtimeadjustment checkaddrman checkmempool prevoutfetchthreads inboundrelaypercent txsendrate
    dblogsize`,
  string: 'lang uiplatform',
};

/** Options that belong to one network (Flag.networkOnly). */
const ofOneNetwork =
  'sv2bind sv2port stratumbind stratumport stratumtlsport stratumaddress stratumfee rpcport rpcbind rpclenientport port bind connect addnode wallet walletdir';

/** The options, by section of the help. */
const sections: Readonly<Record<string, string>> = {
  Options: `
    ? help h version datadir conf allowignoredconf blocksdir blocksxor dbcache loadblock par pid assumevalid maxmempool mempoolexpiry
    persistmempool persistmempoolv1 debuglogfile settings includeconf txindex txospenderindex blockfilterindex coinstatsindex
    alertnotify blocknotify startupnotify shutdownnotify notifyurl blockreconstructionextratxn privatebroadcast
    blocksonly daemon daemonwait feefilter maxorphantx prune reindex reindex-chainstate sysperms dbbatchsize`,
  Version: `
    compat`,
  'Chain selection': `
    chain regtest signet testnet testnet4 signetchallenge signetseednode segwitheight testactivationheight vbparams test`,
  'Block creation': `
    blockmaxweight blockmintxfee blockversion blockreservedweight templatemode emptyfirst longpolldelta
    longpollinterval checktemplates rehearse printpriority`,
  'Stratum V2': `
    sv2 sv2bind sv2port sv2authoritykey sv2interval sv2feedelta sv2peraddress`,
  'Stratum V1': `
    stratum stratumbind stratumport stratumtlscert stratumtlskey stratumtlsport stratumaddress stratumfee stratumtag stratumdiff
    stratummindiff stratummaxdiff stratumshares stratumsharerate stratumversionmask stratumconnections stratumperaddress stratumfront stratumblocks
    stratumworkers stratumdb`,
  Fleet: `
    fleet fleetname fleetkey fleetaccount fleetreplicas fleetshares fleetcreds fleettlsca fleettlscert fleettlskey`,
  'RPC server': `
    server rpcport rpcbind rpcallowip rpclenientport rpctlscert rpctlskey rpcuser rpcpassword rpcauth rpccookiefile
    rpccookieperms rpcwhitelist rpcwhitelistdefault rpcworkqueue jsonrpc2 rpcservertimeout rpcthreads fronts
    rpcserialversion rest deprecatedrpc`,
  Metrics: `
    metricsport metricshost metricsbind`,
  'Node relay': `
    acceptnonstdtxn minrelaytxfee incrementalrelayfee dustrelayfee datacarrier datacarriersize permitbaremultisig
    bytespersigop limitancestorcount limitancestorsize limitdescendantcount limitdescendantsize limitclustercount
    limitclustersize whitelistforcerelay whitelistrelay`,
  Connection: `
    port listen bind whitebind whitelist connect addnode seednode maxconnections maxuploadtarget maxreceivebuffer
    maxsendbuffer timeout peertimeout bantime networkactive onlynet cjdnsreachable proxy onion proxyrandomize externalip discover
    dns dnsseed forcednsseed fixedseeds peerbloomfilters peerblockfilters peerthread asmap v2transport listenonion
    torcontrol torpassword i2psam i2pacceptincoming upnp natpmp maxtimeadjustment`,
  'Debugging and testing': `
    debug debugexclude logips printtoconsole logtimestamps logtimemicros logthreadnames shrinkdebugfile announce
    mocktime maxtipage minimumchainwork checkpoints engine maxsigcachesize checkblocks checklevel stopatheight checkaddrman
    checkmempool prevoutfetchthreads loglevel inboundrelaypercent txsendrate loglevelalways logratelimit rpcdoccheck
    capturemessages txreconciliation walletcrosschain checkblockindex stopafterblockimport logsourcelocations
    fastprune addrmantest uacomment acceptstalefeeestimates help-debug forcecompactdb dbcrashratio choosedatadir
    lang min resetguisettings splash uiplatform`,
  Wallet: `
    disablewallet wallet walletdir addresstype changetype keypool walletimage rescan spendzeroconfchange signer
    walletnotify paytxfee fallbackfee mintxfee maxtxfee discardfee consolidatefeerate maxapsfee txconfirmtarget
    walletrbf walletbroadcast avoidpartialspends walletrejectlongchains flushwallet privdb unsafesqlitesync dblogsize`,
  ZeroMQ: zmqTopics.map((topic) => `zmqpub${topic} zmqpub${topic}hwm`).join(' '),
};

const kinds: Partial<Record<OptionRow[1], FlagKind>> = { whole: 'int', port: 'int', bytes: 'string', filled: 'string' };
const wordsOf = (text: string): string[] => text.trim().split(/\s+/);

/** Core's DISALLOW_ELISION and DISALLOW_NEGATION, which 0.21.1 does not have. */
const withValue = ['proxy', 'loglevel'];
const notNegated = ['datadir', 'loglevel', 'signetchallenge', 'signetseednode'];

export function flagOf(row: OptionRow, category: string): Flag {
  const help = helpOf(row);
  const [name, type] = row;
  return {
    name,
    kind: kinds[type] ?? (type as FlagKind),
    category,
    ...(help === undefined ? {} : { help }),
    ...(wordsOf(ofOneNetwork).includes(name) ? { networkOnly: true } : {}),
  };
}

function flagNamed(name: string, category: string): Flag {
  const row = optionRows.get(name);
  if (row !== undefined) return flagOf(row, category);
  const kind = Object.keys(unused).find((kind) => wordsOf(unused[kind]!).includes(name)) as FlagKind;
  return { name, kind, category, effect: 'none' };
}

/** All options in the order of the help. */
export const allFlags: readonly Flag[] = Object.entries(sections).flatMap(([category, names]) =>
  wordsOf(names).map((name) => ({
    ...flagNamed(name, category),
    needsValue: withValue.includes(name),
    noNegation: notNegated.includes(name),
  })),
);

export const flagByName: ReadonlyMap<string, Flag> = new Map(allFlags.map((flag) => [flag.name, flag]));
