// Further metrics of jvstein's bitcoin-prometheus-exporter, so that dashboards made for it also work with this node:
// hash rates, fee estimates, traffic, versions. Names and units are the exporter's. Bans have labels.
import { protocolVersion } from '../config/index.js';
import type { Metrics } from '../metrics/index.js';
import { networkHashes } from '../rpc/node/mining-info.js';
import type { FindMetricSources } from './metric-sources.js';

const HASH_SPANS = [
  ['bitcoin_hashps', 120, 'Hashes per second of the network over the last 120 blocks'],
  ['bitcoin_hashps_1', 1, 'Hashes per second of the network over the last block'],
  ['bitcoin_hashps_neg1', -1, 'Hashes per second of the network since the last change of difficulty'],
] as const;
/** Targets in blocks that the exporter uses by default. */
const FEE_TARGETS = [2, 3, 5, 20] as const;
/** Fields of getmemoryinfo's locked pool. adit locks no pages, so all are zero, as in getmemoryinfo. */
const LOCKED_POOL = ['used', 'free', 'total', 'locked', 'chunks_used', 'chunks_free'] as const;

export function addExporterMetrics(metrics: Metrics, sources: FindMetricSources): void {
  metrics.group(
    () => sources()?.chain.view,
    HASH_SPANS.map(([name, blocks, help]) => [name, help, (chain) => networkHashes(chain, blocks)]),
  );
  metrics.group(
    () => sources()?.mempool.fees,
    FEE_TARGETS.map((blocks) => [
      `bitcoin_est_smart_fee_${blocks}`,
      `Estimated fee rate for a confirmation within ${blocks} blocks, bitcoin per kvB; absent while nothing is known`,
      (fees) => fees.smart(blocks, true).feeRate / 1e8 || undefined,
    ]),
  );
  for (const field of LOCKED_POOL) {
    metrics.gauge(sources, [`bitcoin_meminfo_${field}`, `The locked pool of getmemoryinfo: ${field.replace('_', ' ')}`, () => 0]);
  }
  // The exporter counts scrapes that found a warning.
  let warned = 0;
  metrics.group(sources, [
    ['bitcoin_peers', 'Peers connected', ({ network }) => network.connections().in + network.connections().out],
    ['bitcoin_conn_in', 'Inbound peers', ({ network }) => network.connections().in],
    ['bitcoin_conn_out', 'Outbound peers', ({ network }) => network.connections().out],
    ['bitcoin_total_bytes_recv', 'Bytes received from peers', ({ network }) => network.totals().received],
    ['bitcoin_total_bytes_sent', 'Bytes sent to peers', ({ network }) => network.totals().sent],
    ['bitcoin_rpc_active', 'Calls in progress on the node thread', ({ fronts }) => fronts()?.stats().link.running ?? 0],
    ['bitcoin_server_version', 'The version of getnetworkinfo', ({ config }) => config.compat.coreVersion.number],
    ['bitcoin_protocol_version', 'The protocol version of getnetworkinfo', () => protocolVersion],
    ['bitcoin_warnings_total', 'Scrapes during which the node had a warning', ({ warnings }) => (warned += Number(warnings().length > 0))],
  ]);
}
