// Metrics of peers, relay and sync. Label values are limited: kinds of connections, networks, known messages, and the
// newest bans.
import type { Metrics } from '../metrics/registry.js';
import type { Net } from '../net/net.js';
import { subnetText } from '../net/peer/bans.js';
import { OTHER } from '../net/peer/peer-connection.js';
import { BLOCK_STAGES, type BlockStage } from '../net/relay/block-times.js';
import { COMPACT_CAUSE_NAMES, COMPACT_CAUSES } from '../net/relay/compact-stats.js';
import { MESSAGES } from '../net/wire/protocol.js';
import type { FindMetricSources } from './metric-sources.js';

const TYPES = ['inbound', 'manual', 'outbound-full-relay', 'block-relay-only', 'feeler', 'addr-fetch'] as const;
const NETWORKS = ['ipv4', 'ipv6', 'onion', 'i2p', 'cjdns'] as const;
/** Number of bans that are shown individually, as the exporter does. */
const MAX_BANS = 200;
/** The exporter's reason for bans without one. */
const BAN_REASON = 'manually added';
/** Buckets in seconds since a peer first announced a block; goals are tens of milliseconds. */
const announcedBuckets = [0.003, 0.01, 0.02, 0.03, 0.05, 0.075, 0.1, 0.2, 0.3, 0.5, 1, 3, 10, 30] as const;

const countBy = (net: Net, read: (peer: Net['peers'][number]) => string, value: string): number =>
  net.peers.reduce((count, peer) => count + Number(read(peer) === value), 0);

/**
 * Adds the metrics.
 * @returns a function that records the time of an announced block
 */
export function addNetMetrics(metrics: Metrics, sources: FindMetricSources): (stage: BlockStage, seconds: number) => void {
  // Names without messages show zero; unknown names share one label.
  const byMessage = (counts: ReadonlyMap<string, number>) => [...MESSAGES, OTHER].map((name) => [name, counts.get(name) ?? 0]);
  const bansOf = ({ bans }: Net) => bans.list().slice(-MAX_BANS);
  metrics.group(
    () => sources()?.net(),
    [
      ['adit_peers', 'Peers by kind of connection', (net) => TYPES.map((type) => [type, countBy(net, (peer) => peer.type, type)]), 'type'],
      [
        'adit_peers_by_network',
        'Peers by network',
        (net) => NETWORKS.map((name) => [name, countBy(net, ({ address }) => address.network, name)]),
        'network',
      ],
      [
        'adit_peers_high_bandwidth',
        'Peers that send us new blocks unasked (from), and that we send them to (to)',
        ({ peers }) => [
          ['from', peers.filter(({ compact }) => compact.highBandwidth).length],
          ['to', peers.filter(({ compact }) => compact.wantsHighBandwidth).length],
        ],
        'direction',
      ],
      [
        'adit_net_received_bytes_total',
        'Bytes received from peers, by message',
        ({ totals }) => byMessage(totals.receivedByMessage),
        'message',
      ],
      ['adit_net_sent_bytes_total', 'Bytes sent to peers, by message', ({ totals }) => byMessage(totals.sentByMessage), 'message'],
      [
        'adit_compact_blocks_total',
        'Compact blocks put together from what was there (complete), after a question (asked), or fetched whole (failed)',
        ({ compact }) => COMPACT_CAUSE_NAMES.map((cause) => [COMPACT_CAUSES[cause], cause, compact.stats.blocks[cause]]),
        ...['outcome', 'cause'],
      ],
      [
        'adit_compact_block_txs_total',
        'Transactions of compact blocks that were put together, by where they came from',
        ({ compact }) => Object.entries(compact.stats.txs),
        'source',
      ],
      [
        'adit_compact_prefilled_bytes_total',
        'Bytes of transactions added to compact blocks that were sent, because this node had lacked them',
        ({ compact }) => compact.stats.prefilledBytes,
      ],
      ['adit_sync_blocks_in_flight', 'Blocks asked from peers', ({ downloads }) => downloads.size],
      ['adit_tx_requests', 'Announced transactions that are asked for or will be', ({ txs }) => txs.requests.size],
      ['adit_orphans', 'Transactions that wait for a parent', ({ txs }) => txs.orphans.size],
      ['adit_known_addresses', 'Addresses of peers that are known', ({ addresses }) => addresses.size],
      ['adit_bans', 'Addresses and networks that are banned', (net) => bansOf(net).length],
      ['adit_discouraged_total', 'Peers discouraged for misbehaviour', ({ bans }) => bans.discouragedTotal],
      [
        'adit_upload_left_bytes',
        'What may still go out today; -1 without -maxuploadtarget',
        ({ upload }) => (upload.bytes === 0 ? -1 : upload.bytesLeft),
      ],
      [
        'bitcoin_ban_created',
        'When an address was banned, seconds since 1970',
        (net) => bansOf(net).map(({ subnet, createdAt }) => [subnetText(subnet), BAN_REASON, createdAt]),
        ...['address', 'reason'],
      ],
      [
        'bitcoin_banned_until',
        'When its ban ends, seconds since 1970',
        (net) => bansOf(net).map(({ subnet, until }) => [subnetText(subnet), BAN_REASON, until]),
        ...['address', 'reason'],
      ],
    ],
  );
  metrics.group(
    () => sources()?.progress.figures(),
    [
      [
        'adit_sync_progress',
        'Headers of those there should be, and blocks of those known, 0 to 1',
        (sync) => Object.entries({ headers: sync.headersProgress, blocks: sync.blocksProgress }),
        'what',
      ],
      [
        'adit_sync_rate',
        'Headers and blocks a second over the last minute of initial download',
        (sync) => Object.entries({ headers: sync.headersPerSecond, blocks: sync.blocksPerSecond }),
        'what',
      ],
      [
        'adit_sync_seconds_left',
        'Time until initial download ends, by the speed of the last minute; -1 while unknown',
        (sync) => sync.secondsLeft ?? -1,
      ],
    ],
  );
  metrics.group(
    () => sources()?.chain,
    [['adit_sync_blocks_stored_ahead', 'Stored blocks that wait to be connected', ({ storedAhead }) => storedAhead]],
  );
  const announced = metrics.histogram(
    'adit_announced_block_seconds',
    "From a peer's first word of a new block until the block is whole, is the tip, has its first template",
    announcedBuckets,
    ['stage'],
    BLOCK_STAGES.map((stage) => ({ stage })),
  );
  return (stage, seconds) => announced(seconds, { stage });
}
