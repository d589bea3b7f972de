// Gathers what the page shows from the rooms' own figures.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Chain } from '../chain/chain.js';
import type { NodeConfig } from '../config/load.js';
import { version } from '../config/version.js';
import type { Fronts } from '../http/server.js';
import type { SlabRing } from '../link/slab-ring.js';
import { outcomesOf } from '../net/relay/compact-stats.js';
import type { TemplateFacts } from '../template/facts.js';
import type { TemplateService } from '../template/service.js';
import type { MetricSources } from './metrics.js';
import { type FeeBars, feeBars, type RecentBlocks } from './status.js';

/** The rooms that are asked. */
export interface StatusRooms {
  readonly config: NodeConfig;
  readonly sources: MetricSources;
  readonly chain: Chain;
  readonly templates: TemplateService;
  readonly slabs: SlabRing;
  readonly blocks: RecentBlocks;
  readonly fronts: () => Fronts | undefined;
  readonly scriptThreads: number;
  readonly meter: LoadMeter;
}

// Bars are read anew only for a new template.
const bars = new WeakMap<TemplateFacts, FeeBars>();

function barsOf(facts: TemplateFacts, slabs: SlabRing): FeeBars {
  let known = bars.get(facts);
  if (known) return known;
  const slab = slabs.slabs[facts.slabIndex];
  known = feeBars(slab ? Buffer.from(slab.buffer, facts.transactionsOffset, facts.transactionsLength) : Buffer.alloc(0));
  bars.set(facts, known);
  return known;
}

/** What the process and its threads do between two looks. */
export class LoadMeter {
  #before = { at: performance.now(), used: process.cpuUsage(), scripts: 0 };
  readonly #lag = monitorEventLoopDelay({ resolution: 20 });

  constructor() {
    this.#lag.enable();
  }

  /**
   * Cores in use since the last look, by the process and by scripts, and how late the node thread's loop was at most.
   */
  read(scriptSeconds: number): { process: number; scripts: number; lagMs: number } {
    const at = performance.now();
    const used = process.cpuUsage();
    const { at: since, used: usedBefore, scripts } = this.#before;
    const seconds = Math.max(0.001, (at - since) / 1000);
    const spent = (used.user + used.system - usedBefore.user - usedBefore.system) / 1e6;
    const lagMs = this.#lag.max / 1e6;
    this.#lag.reset();
    this.#before = { at, used, scripts: scriptSeconds };
    return { process: spent / seconds, scripts: Math.max(0, scriptSeconds - scripts) / seconds, lagMs };
  }

  close(): void {
    this.#lag.disable();
  }
}

/** The card of Stratum V2; null without -sv2. */
function sv2Of(sources: MetricSources): unknown {
  const figures = sources.sv2();
  if (figures === undefined) return null;
  const { serving, outcomes } = figures;
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

/** One event's worth. */
export function statusOf(rooms: StatusRooms): unknown {
  const { sources, chain, templates } = rooms;
  const { height, headers, difficulty, initialBlockDownload } = sources.chain();
  const http = sources.http();
  const verify = sources.verify();
  const template = sources.template();
  const facts = templates.current();
  const cores = rooms.meter.read(verify.cpuSeconds);
  const compact = sources.net()?.compact;
  const fronts = rooms.fronts()?.stats().fronts ?? [];
  return {
    version: `adit ${version}`,
    chain: rooms.config.chain,
    initialBlockDownload,
    uptime: sources.uptimeSeconds(),
    now: Date.now() / 1000,
    tip: { height, hash: chain.tip.hashHex, time: chain.tip.time, difficulty },
    headers,
    peers: sources.peers(),
    sync: sources.sync(),
    compact: compact === undefined ? null : outcomesOf(compact),
    template: template && facts ? { ...template, bars: barsOf(facts, rooms.slabs) } : null,
    waiters: http.waiters,
    connections: http.connections,
    queued: http.queued,
    refused: http.refused,
    sv2: sv2Of(sources),
    mempool: sources.mempool(),
    blocks: rooms.blocks.list,
    threads: [
      { name: 'process', what: 'all threads together', load: `${cores.process.toFixed(2)} cores`, lagMs: null },
      { name: 'node', what: 'chain, mempool, calls', load: `${http.queued} calls under way`, lagMs: cores.lagMs },
      ...fronts.map((front, i) => ({
        name: `front ${i}`,
        what: 'HTTP',
        load: `${front.connectionsOpen} connections, ${front.waiters} waiting`,
        lagMs: front.loopLagMs,
      })),
      {
        name: `verify x ${rooms.scriptThreads}`,
        what: 'scripts',
        load: `${cores.scripts.toFixed(2)} cores, ${verify.queued} jobs`,
        lagMs: null,
      },
    ],
  };
}
