// Metrics of peers, relay and sync, with where their figures come from. Label sets are bounded: kinds of connections,
// networks, known messages; of bans the newest ones.
import type { Chain } from '../chain/chain.js';
import type { Metrics, Sample } from '../metrics/registry.js';
import type { Net } from '../net/net.js';
import { subnetText } from '../net/peer/bans.js';
import { OTHER } from '../net/peer/connection.js';
import { BLOCK_STAGES, type BlockStage } from '../net/relay/block-times.js';
import { COMPACT_CAUSE_NAMES, COMPACT_CAUSES, type CompactStats, TX_SOURCES } from '../net/relay/compact-stats.js';
import type { SyncFigures, SyncProgress } from '../net/sync/sync-progress.js';
import { MESSAGES } from '../net/wire/protocol.js';

const TYPES = ['inbound', 'manual', 'outbound-full-relay', 'block-relay-only', 'feeler', 'addr-fetch'] as const;
const NETWORKS = ['ipv4', 'ipv6', 'onion', 'i2p', 'cjdns'] as const;
/** Bans that are shown one by one, as the exporter does. */
const MAX_BANS = 200;
/** The exporter's word for bans without a reason of their own. */
const BAN_REASON = 'manually added';
/** Seconds from a peer's word of a block; goals are some tens of milliseconds. */
const announcedBuckets = [0.003, 0.01, 0.02, 0.03, 0.05, 0.075, 0.1, 0.2, 0.3, 0.5, 1, 3, 10, 30] as const;

/** Figures of the network room; times in seconds, sizes in bytes. */
export interface NetFigures {
  readonly peersByType: Readonly<Record<string, number>>;
  readonly peersByNetwork: Readonly<Record<string, number>>;
  readonly highBandwidth: { readonly from: number; readonly to: number };
  readonly received: ReadonlyMap<string, number>;
  readonly sent: ReadonlyMap<string, number>;
  readonly compact: CompactStats;
  readonly blocksInFlight: number;
  readonly txRequests: number;
  readonly orphans: number;
  readonly addresses: number;
  readonly bans: readonly { readonly address: string; readonly created: number; readonly until: number }[];
  readonly discouraged: number;
  readonly uploadTarget: { readonly bytes: number; readonly left: number };
}

export interface NetSources {
  /** undefined until the network is up. */
  readonly net: () => NetFigures | undefined;
  readonly sync: () => SyncFigures;
  /** Stored blocks that are not connected yet. */
  readonly storedAhead: () => number;
}

/** Reads the figures out of the room. */
export function netFigures(net: Net): NetFigures {
  const count = (read: (peer: Net['peers'][number]) => string): Record<string, number> => {
    const counts: Record<string, number> = {};
    for (const peer of net.peers) counts[read(peer)] = (counts[read(peer)] ?? 0) + 1;
    return counts;
  };
  const { sentByMessage, receivedByMessage } = net.totals;
  return {
    peersByType: count((peer) => peer.type),
    peersByNetwork: count((peer) => peer.address.network),
    highBandwidth: {
      from: net.peers.filter(({ compact }) => compact.highBandwidth).length,
      to: net.peers.filter(({ compact }) => compact.wantsHighBandwidth).length,
    },
    received: receivedByMessage,
    sent: sentByMessage,
    compact: net.compact.stats,
    blocksInFlight: net.downloads.size,
    txRequests: net.txs.requests.size,
    orphans: net.txs.orphans.size,
    addresses: net.addresses.size,
    bans: net.bans
      .list()
      .slice(-MAX_BANS)
      .map(({ subnet, createdAt, until }) => ({ address: subnetText(subnet), created: createdAt, until })),
    discouraged: net.bans.discouragedTotal,
    uploadTarget: { bytes: net.upload.bytes, left: net.upload.bytesLeft },
  };
}

/** The sources of a node. */
export function netSources(chain: Chain, net: () => Net | undefined, progress: SyncProgress): NetSources {
  return {
    net: () => {
      const room = net();
      return room === undefined ? undefined : netFigures(room);
    },
    sync: () => progress.figures(),
    storedAhead: () => chain.storedAhead,
  };
}

/**
 * Adds the metrics.
 * @param from reads a figure once the rooms are there
 * @returns how the time of announced blocks is reported
 */
export function addNetMetrics(
  metrics: Metrics,
  from: (read: (s: NetSources) => Sample) => () => Sample,
): (stage: BlockStage, seconds: number) => void {
  const ofNet = (read: (figures: NetFigures) => Sample): (() => Sample) =>
    from((s) => {
      const figures = s.net();
      return figures === undefined ? undefined : read(figures);
    });
  metrics.gauge(
    'adit_peers',
    'Peers by kind of connection',
    ofNet((net) => TYPES.map((type) => ({ labels: { type }, value: net.peersByType[type] ?? 0 }))),
    ['type'],
  );
  metrics.gauge(
    'adit_peers_by_network',
    'Peers by network',
    ofNet((net) => NETWORKS.map((network) => ({ labels: { network }, value: net.peersByNetwork[network] ?? 0 }))),
    ['network'],
  );
  metrics.gauge(
    'adit_peers_high_bandwidth',
    'Peers that send us new blocks unasked (from), and that we send them to (to)',
    ofNet((net) => (['from', 'to'] as const).map((direction) => ({ labels: { direction }, value: net.highBandwidth[direction] }))),
    ['direction'],
  );
  // What is never sent or never comes under a name stays zero; names nobody knows are one.
  const names = [...MESSAGES, OTHER];
  for (const [direction, verb] of [
    ['received', 'from'],
    ['sent', 'to'],
  ] as const) {
    metrics.total(
      `adit_net_${direction}_bytes_total`,
      `Bytes ${direction} ${verb} peers, by message`,
      ofNet((net) => names.map((message) => ({ labels: { message }, value: net[direction].get(message) ?? 0 }))),
      ['message'],
    );
  }
  metrics.total(
    'adit_compact_blocks_total',
    'Compact blocks put together from what was there (complete), after a question (asked), or fetched whole (failed)',
    ofNet((net) =>
      COMPACT_CAUSE_NAMES.map((cause) => ({ labels: { outcome: COMPACT_CAUSES[cause], cause }, value: net.compact.blocks[cause] })),
    ),
    ['outcome', 'cause'],
  );
  metrics.total(
    'adit_compact_block_txs_total',
    'Transactions of compact blocks that were put together, by where they came from',
    ofNet((net) => TX_SOURCES.map((source) => ({ labels: { source }, value: net.compact.txs[source] }))),
    ['source'],
  );
  metrics.total(
    'adit_compact_prefilled_bytes_total',
    'Bytes of transactions added to compact blocks that were sent, because this node had lacked them',
    ofNet((net) => net.compact.prefilledBytes),
  );
  metrics.gauge(
    'adit_sync_progress',
    'Headers of those there should be, and blocks of those known, 0 to 1',
    from((s) => {
      const { headersProgress, blocksProgress } = s.sync();
      return [
        { labels: { what: 'headers' }, value: headersProgress },
        { labels: { what: 'blocks' }, value: blocksProgress },
      ];
    }),
    ['what'],
  );
  metrics.gauge(
    'adit_sync_rate',
    'Headers and blocks a second over the last minute of initial download',
    from((s) => {
      const { headersPerSecond, blocksPerSecond } = s.sync();
      return [
        { labels: { what: 'headers' }, value: headersPerSecond },
        { labels: { what: 'blocks' }, value: blocksPerSecond },
      ];
    }),
    ['what'],
  );
  metrics.gauge(
    'adit_sync_seconds_left',
    'Time until initial download ends, by the speed of the last minute; -1 while unknown',
    from((s) => s.sync().secondsLeft ?? -1),
  );
  metrics.gauge(
    'adit_sync_blocks_in_flight',
    'Blocks asked from peers',
    ofNet((net) => net.blocksInFlight),
  );
  metrics.gauge(
    'adit_sync_blocks_stored_ahead',
    'Stored blocks that wait to be connected',
    from((s) => s.storedAhead()),
  );
  metrics.gauge(
    'adit_tx_requests',
    'Announced transactions that are asked for or will be',
    ofNet((net) => net.txRequests),
  );
  metrics.gauge(
    'adit_orphans',
    'Transactions that wait for a parent',
    ofNet((net) => net.orphans),
  );
  metrics.gauge(
    'adit_known_addresses',
    'Addresses of peers that are known',
    ofNet((net) => net.addresses),
  );
  metrics.gauge(
    'adit_bans',
    'Addresses and networks that are banned',
    ofNet((net) => net.bans.length),
  );
  metrics.total(
    'adit_discouraged_total',
    'Peers discouraged for misbehaviour',
    ofNet((net) => net.discouraged),
  );
  metrics.gauge(
    'adit_upload_left_bytes',
    'What may still go out today; -1 without -maxuploadtarget',
    ofNet((net) => (net.uploadTarget.bytes === 0 ? -1 : net.uploadTarget.left)),
  );
  for (const [name, help, read] of [
    ['bitcoin_ban_created', 'When an address was banned, seconds since 1970', (ban) => ban.created],
    ['bitcoin_banned_until', 'When its ban ends, seconds since 1970', (ban) => ban.until],
  ] as const satisfies readonly (readonly [string, string, (ban: NetFigures['bans'][number]) => number])[]) {
    metrics.gauge(
      name,
      help,
      ofNet((net) => net.bans.map((ban) => ({ labels: { address: ban.address, reason: BAN_REASON }, value: read(ban) }))),
      ['address', 'reason'],
    );
  }
  const announced = metrics.histogram(
    'adit_announced_block_seconds',
    "From a peer's first word of a new block until the block is whole, is the tip, has its first template",
    announcedBuckets,
    ['stage'],
    BLOCK_STAGES.map((stage) => ({ stage })),
  );
  return (stage, seconds) => announced(seconds, { stage });
}
