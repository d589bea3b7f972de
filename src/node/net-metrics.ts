// Metrics of peers, relay and sync. Label values are limited: kinds of connections, networks, known messages, and the
// newest bans.
import type { Metrics } from '../metrics/index.js';
import { BLOCK_STAGES, type BlockStage, COMPACT_CAUSE_NAMES, COMPACT_CAUSES, MESSAGES, type Net, OTHER, subnetText } from '../net/index.js';
import type { FindMetricSources } from './metric-sources.js';

const TYPES = ['inbound', 'manual', 'outbound-full-relay', 'block-relay-only', 'feeler', 'addr-fetch'] as const;
const NETWORKS = ['ipv4', 'ipv6', 'onion', 'i2p', 'cjdns'] as const;
/** Number of bans that are shown individually, as the exporter does. */
const MAX_BANS = 200;
/** Reason that the exporter shows for bans without a reason. */
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
  const bansOf = ({ transport }: Net) => transport.bans.list().slice(-MAX_BANS);
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
        'Peers in high-bandwidth mode of compact blocks: from: they send us blocks; to: we send them blocks',
        ({ peers }) => [
          ['from', peers.filter(({ compact }) => compact.highBandwidth).length],
          ['to', peers.filter(({ compact }) => compact.wantsHighBandwidth).length],
        ],
        'direction',
      ],
      [
        'adit_net_received_bytes_total',
        'Bytes received from peers, by message',
        ({ transport }) => byMessage(transport.connections.totals.receivedByMessage),
        'message',
      ],
      [
        'adit_net_sent_bytes_total',
        'Bytes sent to peers, by message',
        ({ transport }) => byMessage(transport.connections.totals.sentByMessage),
        'message',
      ],
      [
        'adit_compact_blocks_total',
        'Compact blocks by outcome: complete: rebuilt without a request; asked: rebuilt after getblocktxn; failed: downloaded as a full block',
        ({ relay }) => COMPACT_CAUSE_NAMES.map((cause) => [COMPACT_CAUSES[cause], cause, relay.compactStats.blocks[cause]]),
        ...['outcome', 'cause'],
      ],
      [
        'adit_compact_block_txs_total',
        'Transactions of rebuilt compact blocks, by source',
        ({ relay }) => Object.entries(relay.compactStats.txs),
        'source',
      ],
      [
        'adit_compact_prefilled_bytes_total',
        'Bytes of prefilled transactions in sent compact blocks, which this node had been missing itself',
        ({ relay }) => relay.compactStats.prefilledBytes,
      ],
      ['adit_sync_blocks_in_flight', 'Blocks requested from peers', ({ sync }) => sync.downloads.size],
      ['adit_tx_requests', 'Announced transactions that are requested or will be', ({ relay }) => relay.txDownload.requests.size],
      ['adit_orphans', 'Transactions that wait for a parent', ({ relay }) => relay.txDownload.orphans.size],
      ['adit_known_addresses', 'Known addresses of peers', ({ transport }) => transport.addresses.size],
      ['adit_bans', 'Addresses and networks that are banned', (net) => bansOf(net).length],
      ['adit_discouraged_total', 'Peers discouraged for misbehaviour', ({ transport }) => transport.bans.discouragedTotal],
      [
        'adit_upload_left_bytes',
        'Bytes left of -maxuploadtarget; -1 without a target',
        ({ transport: { upload } }) => (upload.bytes === 0 ? -1 : upload.bytesLeft),
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
        'Progress of the synchronisation, 0 to 1: headers of the estimated total, blocks of the known headers',
        (sync) => Object.entries({ headers: sync.headersProgress, blocks: sync.blocksProgress }),
        'what',
      ],
      [
        'adit_sync_rate',
        'Headers and blocks per second over the last minute of initial block download',
        (sync) => Object.entries({ headers: sync.headersPerSecond, blocks: sync.blocksPerSecond }),
        'what',
      ],
      [
        'adit_sync_seconds_left',
        'Estimated seconds until initial block download ends, from the rate of the last minute; -1 while unknown',
        (sync) => sync.secondsLeft ?? -1,
      ],
    ],
  );
  metrics.group(
    () => sources()?.chain.view,
    [['adit_sync_blocks_stored_ahead', 'Stored blocks that wait to be connected', ({ storedAhead }) => storedAhead]],
  );
  const announced = metrics.histogram(
    'adit_announced_block_seconds',
    'Seconds from the first announcement of a block until it is complete, is the tip, or has its first template',
    announcedBuckets,
    ['stage'],
    BLOCK_STAGES.map((stage) => ({ stage })),
  );
  return (stage, seconds) => announced(seconds, { stage });
}
