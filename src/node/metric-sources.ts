// Where a scrape's figures come from: the rooms' own counters, put under the exporter's names.
import fs from 'node:fs';
import type { Chain } from '../chain/chain.js';
import type { NodeConfig } from '../config/load.js';
import { version } from '../config/version.js';
import type { Crypto } from '../crypto/crypto.js';
import type { PublishFigures } from '../fleet/publish/counters.js';
import type { Fronts } from '../http/server.js';
import type { Mempool } from '../mempool/mempool.js';
import type { Net } from '../net/net.js';
import type { SyncProgress } from '../net/sync/sync-progress.js';
import type { Verifier } from '../parallel/verifier.js';
import type { NetworkAccess } from '../rpc/context/network.js';
import { networkHashes } from '../rpc/node/mining-info.js';
import { difficultyOf } from '../rpc/render/difficulty.js';
import type { TemplateService } from '../template/service.js';
import { httpFigures } from './http-metrics.js';
import type { MetricSources } from './metrics.js';
import { netSources } from './net-metrics.js';
import type { Sv2 } from './sv2.js';

/** The rooms that are asked. */
export interface MetricRooms {
  readonly config: NodeConfig;
  readonly chain: Chain;
  readonly mempool: Mempool;
  readonly templates: TemplateService;
  readonly verifier: Verifier;
  readonly network: NetworkAccess;
  /** undefined until it is up. */
  readonly net: () => Net | undefined;
  readonly progress: SyncProgress;
  /** Name of the database engine. */
  readonly engine: string;
  readonly backend: Crypto['backend'];
  readonly startedSeconds: number;
  /** undefined with -server=0. */
  readonly fronts: () => Fronts | undefined;
  /** null without -sv2. */
  readonly sv2: Sv2 | null;
  /** The warnings of getnetworkinfo. */
  readonly warnings: () => readonly string[];
  readonly latest: () => ReturnType<MetricSources['latestBlock']>;
}

export function metricSources(rooms: MetricRooms): MetricSources {
  const { config, chain, mempool, templates, verifier } = rooms;
  return {
    ...netSources(chain, rooms.net, rooms.progress),
    info: {
      version,
      chain: config.chain,
      ...rooms.backend,
      engine: rooms.engine,
      threads: String(config.par),
      fronts: String(config.rpc.fronts),
    },
    uptimeSeconds: () => Math.floor(Date.now() / 1000) - rooms.startedSeconds,
    chain: () => {
      const stats = chain.stats();
      return {
        height: stats.height,
        headers: stats.headers,
        difficulty: difficultyOf(chain.tip.bits),
        initialBlockDownload: chain.isInitialBlockDownload(),
        verificationProgress: chain.verificationProgress(chain.tip),
        tips: chain.tips().length,
        sizeOnDisk: chain.sizeOnDisk(),
        pruneHeight: chain.pruneSettings === null ? 0 : chain.lowestStored.height,
        connected: stats.blocksConnected,
        disconnected: stats.blocksDisconnected,
        rejected: stats.blocksRejected,
        reorgs: stats.reorgs,
        coinsCacheBytes: stats.coinsCacheBytes,
        queued: stats.queued,
      };
    },
    sv2: () => rooms.sv2?.measures(),
    latestBlock: rooms.latest,
    hashesPerSecond: (blocks) => networkHashes(chain, blocks),
    feeEstimate: (blocks) => mempool.fees.smart(blocks, true).feeRate,
    traffic: () => rooms.network.totals(),
    txCount: () => chain.tip.chainTxCount,
    unbroadcast: () => mempool.stats().unbroadcast,
    activeCalls: () => rooms.fronts()?.stats().link.running ?? 0,
    warnings: () => (rooms.warnings().length === 0 ? 0 : 1),
    mempool: () => {
      const stats = mempool.stats();
      return { size: stats.transactions, bytes: stats.bytes, usage: stats.usageBytes, minFeeRate: stats.minFeeRate };
    },
    peers: () => rooms.network.connections(),
    tipAgeSeconds: () => Math.max(0, Date.now() / 1000 - chain.tip.time),
    diskFreeBytes: () => {
      try {
        const { bavail, bsize } = fs.statfsSync(config.netDir);
        return bavail * bsize;
      } catch {
        return undefined;
      }
    },
    template: () => {
      const facts = templates.current();
      const age = templates.stats().ageSeconds;
      return facts === null || age === null
        ? undefined
        : { height: facts.height, age, transactions: facts.txCount, weight: facts.weight, fees: facts.fees };
    },
    verify: () => {
      const { cpuMs, ...stats } = verifier.stats();
      return { ...stats, jobs: { ...stats.jobs }, refused: { ...stats.refused }, cpuSeconds: cpuMs / 1000 };
    },
    http: () => httpFigures(rooms.fronts()),
    fleetNode: () => rooms.fronts()?.stats().remote as PublishFigures | undefined,
  };
}
