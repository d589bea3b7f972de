// Every metric by name, with where its figure comes from. Each of them is on a dashboard in grafana/; a test compares.
// bitcoin_* are the names of the exporter that existing Bitcoin dashboards were made for.
import type { Series } from '../metrics/quick-histogram.js';
import { Metrics, secondsBuckets } from '../metrics/registry.js';
import type { BlockStage } from '../net/relay/block-times.js';
import { addExporterMetrics, type ExporterSources } from './exporter-metrics.js';
import { addFleetNodeMetrics, type FleetNodeSources } from './fleet-metrics.js';
import { addHttpMetrics, type HttpSources } from './http-metrics.js';
import { addNetMetrics, type NetSources } from './net-metrics.js';
import { addSv2Metrics, type Sv2Sources } from './sv2-metrics.js';

/** Figures asked for at each scrape. Sizes in bytes, times in seconds, fees in satoshi. */
export interface MetricSources extends ExporterSources, FleetNodeSources, HttpSources, NetSources, Sv2Sources {
  readonly info: Record<string, string>;
  readonly uptimeSeconds: () => number;
  readonly chain: () => {
    height: number;
    headers: number;
    difficulty: number;
    initialBlockDownload: boolean;
    verificationProgress: number;
    tips: number;
    sizeOnDisk: number;
    /** Height from which on all blocks are stored; 0 where none are deleted. */
    pruneHeight: number;
    connected: number;
    disconnected: number;
    rejected: number;
    reorgs: number;
    coinsCacheBytes: number;
    queued: number;
  };
  readonly latestBlock: () =>
    | { height: number; transactions: number; bytes: number; weight: number; inputs: number; outputs: number; value: number; fee: number }
    | undefined;
  readonly mempool: () => { size: number; bytes: number; usage: number; minFeeRate: number };
  readonly peers: () => { in: number; out: number };
  readonly tipAgeSeconds: () => number;
  readonly diskFreeBytes: () => number | undefined;
  readonly template: () => { height: number; age: number; transactions: number; weight: number; fees: number } | undefined;
  readonly verify: () => {
    jobs: Record<string, number>;
    refused: Record<string, number>;
    inputs: number;
    cpuSeconds: number;
    queued: number;
    running: number;
    retries: number;
    cacheHits: number;
    cacheMisses: number;
    slabBytes: number;
  };
}

/** How rooms report what a scrape can't ask for. */
export interface MetricObservers {
  /** A phase of connecting a block: gather, scripts, apply, persist, total. */
  readonly blockConnect: (phase: string, seconds: number) => void;
  readonly templateBuild: (seconds: number) => void;
  readonly tipToTemplate: (seconds: number) => void;
  /** A new block of a peer came so far, so many seconds after the first word of it. */
  readonly announcedBlock: (stage: BlockStage, seconds: number) => void;
  readonly rpc: (method: string, seconds: number, ok: boolean) => void;
  readonly submitted: (outcome: string) => void;
}

const perClass = (counts: Record<string, number>) => Object.entries(counts).map(([klass, value]) => ({ labels: { class: klass }, value }));

/** Builds the registry. `sources` is asked late: it may be filled after this call. */
export function createMetrics(sources: () => MetricSources | undefined): { metrics: Metrics; observe: MetricObservers } {
  const metrics = new Metrics().withProcess();
  const from =
    <T>(read: (s: MetricSources) => T): (() => T | undefined) =>
    () => {
      const ready = sources();
      return ready === undefined ? undefined : read(ready);
    };

  metrics.gauge(
    'adit_info',
    'Constant 1; what runs, in labels',
    from((s) => [{ labels: s.info, value: 1 }]),
    ['version', 'chain', 'ecdsa', 'schnorr', 'hashes', 'engine', 'threads', 'fronts'],
  );
  metrics.gauge(
    'bitcoin_uptime',
    'Seconds since the start',
    from((s) => s.uptimeSeconds()),
  );
  metrics.gauge(
    'bitcoin_blocks',
    'Height of the tip',
    from((s) => s.chain().height),
  );
  metrics.gauge(
    'bitcoin_difficulty',
    'Difficulty of the tip',
    from((s) => s.chain().difficulty),
  );
  metrics.gauge(
    'bitcoin_verification_progress',
    'Estimated part of the chain that is verified',
    from((s) => s.chain().verificationProgress),
  );
  metrics.gauge(
    'bitcoin_size_on_disk',
    'Bytes of block and undo files',
    from((s) => s.chain().sizeOnDisk),
  );
  metrics.gauge(
    'bitcoin_num_chaintips',
    'Ends of the header tree',
    from((s) => s.chain().tips),
  );
  metrics.gauge(
    'bitcoin_peers',
    'Peers connected',
    from((s) => s.peers().in + s.peers().out),
  );
  metrics.gauge(
    'bitcoin_conn_in',
    'Peers that connected to us',
    from((s) => s.peers().in),
  );
  metrics.gauge(
    'bitcoin_conn_out',
    'Peers we connected to',
    from((s) => s.peers().out),
  );
  metrics.gauge(
    'bitcoin_mempool_size',
    'Transactions in the mempool',
    from((s) => s.mempool().size),
  );
  metrics.gauge(
    'bitcoin_mempool_bytes',
    'Virtual bytes in the mempool',
    from((s) => s.mempool().bytes),
  );
  metrics.gauge(
    'bitcoin_mempool_usage',
    "Memory of the mempool by Core's measure",
    from((s) => s.mempool().usage),
  );
  metrics.gauge(
    'adit_mempool_min_fee_rate_sats_per_kvb',
    'Fee rate below which transactions are refused',
    from((s) => s.mempool().minFeeRate),
  );
  for (const [name, help, read] of [
    ['height', 'Height of the newest block', (b) => b.height],
    ['txs', 'Transactions in the newest block', (b) => b.transactions],
    ['size', 'Bytes of the newest block', (b) => b.bytes],
    ['weight', 'Weight of the newest block', (b) => b.weight],
    ['inputs', 'Inputs in the newest block', (b) => b.inputs],
    ['outputs', 'Outputs in the newest block', (b) => b.outputs],
    ['value', 'Bitcoin sent in the newest block', (b) => b.value / 1e8],
    ['fee', 'Fees of the newest block in bitcoin', (b) => b.fee / 1e8],
  ] as const satisfies readonly (readonly [string, string, (block: NonNullable<ReturnType<MetricSources['latestBlock']>>) => number])[]) {
    metrics.gauge(
      `bitcoin_latest_block_${name}`,
      help,
      from((s) => {
        const block = s.latestBlock();
        return block === undefined ? undefined : read(block);
      }),
    );
  }

  addExporterMetrics(metrics, from);
  const announcedBlock = addNetMetrics(metrics, from);
  addHttpMetrics(metrics, from);
  addFleetNodeMetrics(metrics, from);
  addSv2Metrics(metrics, from);

  metrics.gauge(
    'adit_prune_height',
    'Height from which on all blocks are stored; 0 where none are deleted',
    from((s) => s.chain().pruneHeight),
  );
  metrics.gauge(
    'adit_headers',
    'Height of the best known header',
    from((s) => s.chain().headers),
  );
  metrics.gauge(
    'adit_initial_block_download',
    '1 while catching up',
    from((s) => Number(s.chain().initialBlockDownload)),
  );
  metrics.total(
    'adit_blocks_connected_total',
    'Blocks that joined the active chain',
    from((s) => s.chain().connected),
  );
  metrics.total(
    'adit_blocks_disconnected_total',
    'Blocks that left the active chain',
    from((s) => s.chain().disconnected),
  );
  metrics.total(
    'adit_blocks_rejected_total',
    'Blocks found invalid',
    from((s) => s.chain().rejected),
  );
  metrics.total(
    'adit_reorgs_total',
    'Changes of the tip that left blocks behind',
    from((s) => s.chain().reorgs),
  );
  metrics.gauge(
    'adit_coins_cache_bytes',
    'Memory of the coins cache',
    from((s) => s.chain().coinsCacheBytes),
  );
  metrics.gauge(
    'adit_chain_queue_depth',
    'Changes of the chain that wait for their turn',
    from((s) => s.chain().queued),
  );

  metrics.gauge(
    'adit_template_age_seconds',
    'Age of the current template',
    from((s) => s.template()?.age),
  );
  metrics.gauge(
    'adit_template_height',
    'Height of the block that the current template is for',
    from((s) => s.template()?.height),
  );
  metrics.gauge(
    'adit_tip_age_seconds',
    "Time since the tip's own time",
    from((s) => s.tipAgeSeconds()),
  );
  metrics.gauge(
    'adit_disk_free_bytes',
    'Room on the disk of the data folder',
    from((s) => s.diskFreeBytes()),
  );
  metrics.gauge(
    'adit_template_transactions',
    'Transactions in the current template',
    from((s) => s.template()?.transactions),
  );
  metrics.gauge(
    'adit_template_weight',
    'Weight of the current template',
    from((s) => s.template()?.weight),
  );
  metrics.gauge(
    'adit_template_fees_sats',
    'Fees of the current template',
    from((s) => s.template()?.fees),
  );

  metrics.total(
    'adit_verify_jobs_total',
    'Verification jobs by class',
    from((s) => perClass(s.verify().jobs)),
    ['class'],
  );
  metrics.total(
    'adit_verify_refused_total',
    'Verification jobs refused by class',
    from((s) => perClass(s.verify().refused)),
    ['class'],
  );
  metrics.total(
    'adit_verify_inputs_total',
    'Inputs whose scripts were run',
    from((s) => s.verify().inputs),
  );
  metrics.total(
    'adit_verify_cpu_seconds_total',
    'Thread time spent on scripts',
    from((s) => s.verify().cpuSeconds),
  );
  metrics.total(
    'adit_verify_retries_total',
    'Jobs run again because their thread ended',
    from((s) => s.verify().retries),
  );
  metrics.gauge(
    'adit_verify_queue_depth',
    'Verification jobs waiting and running',
    from((s) => s.verify().queued),
  );
  metrics.gauge(
    'adit_verify_running',
    'Verification jobs running',
    from((s) => s.verify().running),
  );
  metrics.gauge(
    'adit_verify_slab_bytes',
    'Shared memory held for verification',
    from((s) => s.verify().slabBytes),
  );
  metrics.total(
    'adit_script_cache_hits_total',
    'Transactions whose scripts had been run before',
    from((s) => s.verify().cacheHits),
  );
  metrics.total(
    'adit_script_cache_misses_total',
    'Transactions whose scripts had to be run',
    from((s) => s.verify().cacheMisses),
  );

  const blockConnect = metrics.histogram('adit_block_connect_seconds', 'Time to connect a block, by phase', secondsBuckets, ['phase']);
  const templateBuild = metrics.histogram('adit_template_build_seconds', 'Time to build a template', secondsBuckets);
  const tipToTemplate = metrics.histogram('adit_tip_to_template_seconds', 'From a new tip to its first template', secondsBuckets);
  const rpc = metrics.quickHistogram('adit_rpc_seconds', 'Time to answer a call on the node thread, by method', secondsBuckets);
  const rpcSeries = { ok: new Map<string, Series>(), error: new Map<string, Series>() };
  const rpcSeriesOf = (method: string, result: 'ok' | 'error'): Series => {
    let series = rpcSeries[result].get(method);
    if (!series) {
      series = rpc({ method, result });
      rpcSeries[result].set(method, series);
    }
    return series;
  };
  const outcomes = new Map<string, number>();
  metrics.total(
    'adit_submitted_blocks_total',
    'Blocks handed in by RPC, by outcome',
    () => [...outcomes].map(([outcome, value]) => ({ labels: { outcome }, value })),
    ['outcome'],
  );

  return {
    metrics,
    observe: {
      blockConnect: (phase, seconds) => blockConnect(seconds, { phase }),
      templateBuild,
      tipToTemplate,
      announcedBlock,
      rpc: (method, seconds, ok) => rpcSeriesOf(method, ok ? 'ok' : 'error').observe(seconds),
      // Reasons can carry a version number in brackets, which would make a label for each miner's typo.
      submitted: (outcome) => {
        const label = outcome.split('(', 1)[0].trim();
        outcomes.set(label, (outcomes.get(label) ?? 0) + 1);
      },
    },
  };
}
