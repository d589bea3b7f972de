// The rest of the names of jvstein's bitcoin-prometheus-exporter, so that dashboards made for it show this node too:
// hash rates, fee estimates, traffic, versions. Names and units are the exporter's; bans come with their labels.
import { coreVersion, protocolVersion } from '../config/version.js';
import type { Metrics, Sample } from '../metrics/registry.js';

/** What the exporter asks a node for by RPC. */
export interface ExporterSources {
  /** Hashes per second, as getnetworkhashps: over so many blocks, -1 since the last change of difficulty. */
  readonly hashesPerSecond: (blocks: number) => number;
  /**
   * As estimatesmartfee: satoshi per 1,000 virtual bytes for a confirmation within so many blocks; 0 when nothing is
   * known.
   */
  readonly feeEstimate: (blocks: number) => number;
  readonly traffic: () => { readonly received: number; readonly sent: number };
  /** Transactions of the chain. */
  readonly txCount: () => number;
  readonly unbroadcast: () => number;
  readonly activeCalls: () => number;
  readonly warnings: () => number;
}

const HASH_SPANS = [
  ['bitcoin_hashps', 120, 'Hashes per second of the network over the last 120 blocks'],
  ['bitcoin_hashps_1', 1, 'Hashes per second of the network over the last block'],
  ['bitcoin_hashps_neg1', -1, 'Hashes per second of the network since the last change of difficulty'],
] as const;
/** Targets that the exporter asks for unless told otherwise. */
const FEE_TARGETS = [2, 3, 5, 20] as const;
/**
 * Fields of getmemoryinfo's locked pool. Nothing here is kept in locked pages, so they are what getmemoryinfo says:
 * zero.
 */
const LOCKED_POOL = ['used', 'free', 'total', 'locked', 'chunks_used', 'chunks_free'] as const;

/** Adds the metrics. @param from reads a figure once the rooms are there */
export function addExporterMetrics(metrics: Metrics, from: (read: (s: ExporterSources) => Sample) => () => Sample): void {
  for (const [name, blocks, help] of HASH_SPANS)
    metrics.gauge(
      name,
      help,
      from((s) => s.hashesPerSecond(blocks)),
    );
  for (const blocks of FEE_TARGETS)
    metrics.gauge(
      `bitcoin_est_smart_fee_${blocks}`,
      `Estimated fee rate for a confirmation within ${blocks} blocks, bitcoin per kvB; absent while nothing is known`,
      from((s) => {
        const rate = s.feeEstimate(blocks);
        return rate === 0 ? undefined : rate / 1e8;
      }),
    );
  for (const field of LOCKED_POOL)
    metrics.gauge(
      `bitcoin_meminfo_${field}`,
      `The locked pool of getmemoryinfo: ${field.replace('_', ' ')}`,
      from(() => 0),
    );
  metrics.gauge(
    'bitcoin_total_bytes_recv',
    'Bytes received from peers',
    from((s) => s.traffic().received),
  );
  metrics.gauge(
    'bitcoin_total_bytes_sent',
    'Bytes sent to peers',
    from((s) => s.traffic().sent),
  );
  metrics.gauge(
    'bitcoin_txcount',
    'Transactions of the chain up to the tip',
    from((s) => s.txCount()),
  );
  metrics.gauge(
    'bitcoin_mempool_unbroadcast',
    'Transactions of the mempool that no peer has asked for yet',
    from((s) => s.unbroadcast()),
  );
  metrics.gauge(
    'bitcoin_rpc_active',
    'Calls under way on the node thread',
    from((s) => s.activeCalls()),
  );
  metrics.gauge(
    'bitcoin_server_version',
    'The version of getnetworkinfo',
    from(() => coreVersion),
  );
  metrics.gauge(
    'bitcoin_protocol_version',
    'The protocol version of getnetworkinfo',
    from(() => protocolVersion),
  );
  // The exporter counts scrapes that found a warning.
  let warned = 0;
  metrics.total(
    'bitcoin_warnings_total',
    'Scrapes at which the node had a warning',
    from((s) => {
      warned += s.warnings();
      return warned;
    }),
  );
}
