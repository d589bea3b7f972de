// Metrics of the verification pool.
import type { Metrics } from '../metrics/index.js';
import type { FindMetricSources } from './metric-sources.js';

/** Adds the metrics. */
export function addVerifyMetrics(metrics: Metrics, sources: FindMetricSources): void {
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
