// Collects the figures of the status page.
import { version } from '../config/index.js';
import { LoopLag } from '../lib/loop-lag.js';
import type { SlabRing } from '../link/slab-ring.js';
import type { Status } from '../metrics/index.js';
import { outcomesOf } from '../net/index.js';
import { difficultyOf } from '../rpc/render/difficulty.js';
import type { TemplateFacts } from '../template/index.js';
import { ofAll, underWay } from './http-metrics.js';
import type { MetricSources } from './metric-sources.js';
import { diskFreeBytes, uptimeSeconds } from './metrics.js';
import { type FeeBars, feeBars, type RecentBlocks } from './status.js';
import { stratumOf } from './stratum-status.js';
import type { Sv2 } from './sv2.js';
import { templateFigures } from './template-metrics.js';

/** Modules that the status page reads. */
export interface StatusSources extends MetricSources {
  readonly slabs: SlabRing;
  readonly blocks: RecentBlocks;
  readonly scriptThreads: number;
  readonly meter: LoadMeter;
}

// Bars of the fee rate chart on the status page. They are computed once per template.
const bars = new WeakMap<TemplateFacts, FeeBars>();

function barsOf(facts: TemplateFacts, slabs: SlabRing): FeeBars {
  let known = bars.get(facts);
  if (known) return known;
  const slab = slabs.slabs[facts.slabIndex];
  known = feeBars(slab ? Buffer.from(slab.buffer, facts.transactionsOffset, facts.transactionsLength) : Buffer.alloc(0));
  bars.set(facts, known);
  return known;
}

/** Measures the load of the process and its threads between two reads. */
export class LoadMeter {
  #before = { at: performance.now(), used: process.cpuUsage(), scripts: 0 };
  readonly #lag = new LoopLag();

  /**
   * Returns the cores in use since the last read, by the process and by scripts, and the longest delay of the node
   * thread's event loop.
   */
  read(scriptSeconds: number): { process: number; scripts: number; lagMs: number } {
    const at = performance.now();
    const used = process.cpuUsage();
    const { at: since, used: usedBefore, scripts } = this.#before;
    const seconds = Math.max(0.001, (at - since) / 1000);
    const spent = (used.user + used.system - usedBefore.user - usedBefore.system) / 1e6;
    const lagMs = this.#lag.mostMs();
    this.#before = { at, used, scripts: scriptSeconds };
    return { process: spent / seconds, scripts: Math.max(0, scriptSeconds - scripts) / seconds, lagMs };
  }

  close(): void {
    this.#lag.close();
  }
}

/** Returns the Stratum V2 card; null without -sv2. */
function sv2Of(sv2: Sv2 | null): unknown {
  if (sv2 === null) return null;
  const { serving, outcomes } = sv2.measures();
  const { clientsOpen, connectionsOpen, activated, prevHashes, firstByteSum, firstByteCount } = serving;
  return {
    clients: clientsOpen,
    connections: connectionsOpen,
    activated,
    prevHashes,
    firstByteMs: firstByteCount === 0 ? null : (1000 * firstByteSum) / firstByteCount,
    accepted: outcomes.accepted,
    lost: outcomes.lost,
    invalid: outcomes.invalid,
  };
}

/** Free disk space below which the page warns, as the alert AditDisk does. */
const LOW_DISK_BYTES = 10e9;
/** Age of a tip above which the page warns, as the alert AditStuckTip does. */
const OLD_TIP_SECONDS = 7_200;

/** Lists problems for the operator. On regtest it is normal to have no peers and an old tip. */
function problemsOf(
  { chain, config, network, templates, warnings }: StatusSources,
  nowSeconds: number,
  diskFree: number | undefined,
): string[] {
  const problems = [...warnings()];
  const { tip } = chain.view;
  if (config.chain !== 'regtest') {
    const peers = network.connections();
    if (peers.in + peers.out === 0) problems.push('No peers are connected, so the network does not receive blocks of this node.');
    if (chain.view.isInitialBlockDownload()) problems.push('The initial block download is not finished.');
    else if (nowSeconds - tip.time > OLD_TIP_SECONDS)
      problems.push(`The newest block is ${Math.round((nowSeconds - tip.time) / 3600)} hours old.`);
  }
  const height = templates.current()?.height;
  if (height !== undefined && height <= tip.height) problems.push('The current template belongs to an older tip.');
  if (diskFree !== undefined && diskFree < LOW_DISK_BYTES)
    problems.push(`Only ${(diskFree / 1e9).toFixed(1)} GB are free on the disk of the data folder.`);
  return problems;
}

/** Collects the data of one event for the page. */
export function statusOf(sources: StatusSources): Status {
  const { chain, templates } = sources;
  const { tip } = chain.view;
  const { transactions: size, bytes, usageBytes: usage, minFeeRate } = sources.mempool.stats();
  const http = sources.fronts()?.stats();
  const queued = underWay(http);
  const verify = sources.verifier.stats();
  const template = templateFigures(templates);
  const facts = templates.current();
  const cores = sources.meter.read(verify.cpuMs / 1000);
  const compact = sources.net()?.relay.compactStats;
  const diskFree = diskFreeBytes(sources);
  const now = Date.now() / 1000;
  return {
    version: `adit ${version}`,
    chain: sources.config.chain,
    problems: problemsOf(sources, now, diskFree),
    initialBlockDownload: chain.view.isInitialBlockDownload(),
    uptime: uptimeSeconds(sources),
    now,
    tip: { height: tip.height, hash: tip.hashHex, time: tip.time, difficulty: difficultyOf(tip.bits) },
    headers: chain.view.bestHeader.height,
    peers: sources.network.connections(),
    sync: sources.progress.figures(),
    compact: compact === undefined ? null : outcomesOf(compact),
    template: template && facts ? { ...template, reward: facts.coinbaseValue, bars: barsOf(facts, sources.slabs) } : null,
    waiters: http?.waiters ?? 0,
    connections: ofAll(http, 'connectionsOpen'),
    queued,
    refused: ofAll(http, 'refusedQueueFull'),
    submissions: { counts: Object.fromEntries(sources.submissions.counts), newest: sources.submissions.newest },
    sv2: sv2Of(sources.sv2),
    stratum: stratumOf(sources.stratum),
    mempool: { size, bytes, usage, minFeeRate },
    diskFreeBytes: diskFree ?? null,
    blocks: sources.blocks.list,
    threads: [
      { name: 'process', what: 'all threads together', load: `${cores.process.toFixed(2)} cores`, lagMs: null },
      { name: 'node', what: 'chain, mempool, calls', load: `${queued} calls in progress`, lagMs: cores.lagMs },
      ...(http?.fronts ?? []).map((front, i) => ({
        name: `front ${i}`,
        what: 'HTTP',
        load: `${front.connectionsOpen} connections, ${front.waiters} waiting`,
        lagMs: front.loopLagMs,
      })),
      {
        name: `verify x ${sources.scriptThreads}`,
        what: 'scripts',
        load: `${cores.scripts.toFixed(2)} cores, ${verify.queued} jobs`,
        lagMs: null,
      },
    ],
  };
}
