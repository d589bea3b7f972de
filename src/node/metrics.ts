// Registers every metric with its source, one group per module. Each metric is on a dashboard in grafana/; a test
// checks that. bitcoin_* are names of the exporter that existing Bitcoin dashboards use. Names include units: bytes,
// seconds, satoshis.
import { version } from '../config/index.js';
import type { ListenerGuard } from '../lib/listener-guard.js';
import { Metrics, type OnMetricFault } from '../metrics/index.js';
import { addChainMetrics } from './chain-metrics.js';
import { addExporterMetrics } from './exporter-metrics.js';
import { addPublisherMetrics } from './fleet-metrics.js';
import { freeBytes } from './free-disk-space.js';
import { addHttpMetrics, addRpcMetrics } from './http-metrics.js';
import type { FindMetricSources, MetricSources } from './metric-sources.js';
import { addNetMetrics } from './net-metrics.js';
import { addStratumMetrics } from './stratum-metrics.js';
import { addSv2Metrics } from './sv2-metrics.js';
import { addTemplateMetrics } from './template-metrics.js';

function addVerifyMetrics(metrics: Metrics, sources: FindMetricSources): void {
  metrics.group(
    () => sources()?.verifier.stats(),
    [
      ['adit_verify_jobs_total', 'Verification jobs by class', ({ jobs }) => Object.entries(jobs), 'class'],
      ['adit_verify_refused_total', 'Verification jobs refused by class', ({ refused }) => Object.entries(refused), 'class'],
      ['adit_verify_inputs_total', 'Inputs whose scripts were run', (stats) => stats.inputs],
      ['adit_verify_cpu_seconds_total', 'Seconds that the verification threads spent on scripts', (stats) => stats.cpuMs / 1000],
      ['adit_verify_retries_total', 'Jobs run again because their thread ended', (stats) => stats.retries],
      ['adit_verify_queue_depth', 'Verification jobs waiting and running', (stats) => stats.queued],
      ['adit_verify_running', 'Verification jobs running', (stats) => stats.running],
      ['adit_verify_slab_bytes', 'Shared memory held for verification', (stats) => stats.slabBytes],
      ['adit_script_cache_bytes', 'Memory of the script cache', (stats) => stats.cacheBytes],
      ['adit_script_cache_hits_total', 'Transactions whose scripts were in the cache', (stats) => stats.cacheHits],
      ['adit_script_cache_misses_total', 'Transactions whose scripts were not in the cache', (stats) => stats.cacheMisses],
    ],
  );
}

export const uptimeSeconds = ({ startedSeconds }: MetricSources): number => Math.floor(Date.now() / 1000) - startedSeconds;

/** Returns the free bytes of the disk with the data folder; undefined if unknown. */
export const diskFreeBytes = ({ config }: MetricSources): number | undefined => freeBytes(config.netDir);

/** Builds the registry. @param sources returns the modules at each scrape; undefined until the node is up */
export function createMetrics(sources: FindMetricSources, guard: ListenerGuard, onFault?: OnMetricFault) {
  const metrics = new Metrics(onFault).withProcess();
  metrics.group(sources, [
    [
      'adit_info',
      'Constant 1; labels describe the version',
      ({ config, backend, engine }) => [
        [version, config.chain, backend.ecdsa, backend.schnorr, backend.hashes, engine, config.par, config.rpc.fronts, 1],
      ],
      ...['version', 'chain', 'ecdsa', 'schnorr', 'hashes', 'engine', 'threads', 'fronts'],
    ],
    ['bitcoin_uptime', 'Seconds since the start', uptimeSeconds],
    ['adit_wallets_heap_bytes', "V8's memory of the wallets' thread; absent until it runs", ({ wallets }) => wallets?.heapBytes],
    ['adit_disk_free_bytes', 'Free bytes on the disk of the data folder', diskFreeBytes],
  ]);
  metrics.group(
    () => guard,
    [['adit_listener_failures_total', 'Exceptions of listeners of chain, mempool and templates', ({ failures }) => failures, 'listener']],
  );
  metrics.group(
    () => sources()?.mempool.stats(),
    [
      ['bitcoin_mempool_size', 'Transactions in the mempool', (stats) => stats.transactions],
      ['bitcoin_mempool_bytes', 'Virtual bytes in the mempool', (stats) => stats.bytes],
      ['bitcoin_mempool_usage', "Memory of the mempool by Core's measure", (stats) => stats.usageBytes],
      ['bitcoin_mempool_unbroadcast', 'Transactions in the mempool that no peer has requested yet', (stats) => stats.unbroadcast],
      ['bitcoin_mempool_minfee', 'Fee rate below which transactions are refused, bitcoin per kvB', (stats) => stats.minFeeRate / 1e8],
      ['adit_mempool_min_fee_rate_sats_per_kvb', 'Fee rate below which transactions are refused', (stats) => stats.minFeeRate],
    ],
  );
  addExporterMetrics(metrics, sources);
  addHttpMetrics(metrics, () => sources()?.fronts()?.stats());
  addPublisherMetrics(metrics, sources);
  addSv2Metrics(metrics, () => sources()?.sv2?.measures());
  addStratumMetrics(metrics, () => sources()?.stratum?.measures());
  addVerifyMetrics(metrics, sources);
  /** Functions with which modules report values that cannot be read at a scrape. */
  const observe = {
    ...addChainMetrics(metrics, sources),
    ...addTemplateMetrics(metrics, sources),
    ...addRpcMetrics(metrics),
    announcedBlock: addNetMetrics(metrics, sources),
  };
  return {
    metrics,
    observe: {
      ...observe,
      blockConnect: guard.wrap('metrics', observe.blockConnect),
      rpc: guard.wrap('metrics', observe.rpc),
      announcedBlock: guard.wrap('metrics', observe.announcedBlock),
    },
  };
}
