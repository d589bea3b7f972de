// Starts the warm-up with made-up blocks once the node has a miner. See block-warmup/.

import path from 'node:path';
import { DEFAULT_MEMPOOL } from '../mempool/options.js';
import { PooledBlockHasher } from '../parallel/block-hasher.js';
import { CachedVerifier } from '../parallel/cached-verifier.js';
import type { WorkPool } from '../parallel/pool.js';
import { PooledSigner } from '../parallel/pooled-signer.js';
import { PooledVerifier } from '../parallel/pooled-verifier.js';
import { ScriptCache } from '../parallel/script-cache.js';
import { DEFAULT_POLICY } from '../policy/options.js';
import { BlockWarmup } from './block-warmup/block-warmup.js';
import { WARMUP_PARAMS } from './block-warmup/throwaway-node.js';
import { mempoolOptions } from './mempool-options.js';
import type { NodeBase } from './open-base.js';
import type { OpenedThreads } from './open-threads.js';
import type { WiredModules } from './wiring.js';

/** Interval in milliseconds between checks whether there is a miner. The other work of the start comes first. */
const CHECK_MS = 5_000;
/** Number of verified inputs after which the warm-up is unnecessary. */
const ENOUGH_INPUTS = 20_000;

/** Schedules the warm-up. A node without miners never starts it, so its threads stay small. */
export function openBlockWarmup(
  { config, crypto, keyMath, scheduler, log, teardown }: NodeBase,
  { pool, assembler, verifier, signer }: OpenedThreads,
  { chain, mempool, fronts, sv2, stratum }: Pick<WiredModules, 'chain' | 'mempool' | 'fronts' | 'sv2' | 'stratum'>,
): void {
  if (!config.warmUp) return;
  const { minRelayFeeRate, incrementalFeeRate, dustFeeRate, bytesPerSigop } = DEFAULT_POLICY;
  const options = mempoolOptions(config, WARMUP_PARAMS);
  const blockWarmup = new BlockWarmup({
    dir: path.join(config.blocksDir, 'rehearsal'),
    // Rules of the node, but the default fee rates and the default size, which is enough for two blocks.
    mempool: {
      ...options,
      maxUsageBytes: DEFAULT_MEMPOOL.maxUsageBytes,
      policy: { ...options.policy, minRelayFeeRate, incrementalFeeRate, dustFeeRate, bytesPerSigop },
    },
    templates: config.templates,
    crypto,
    keys: keyMath,
    signing: { crypto, signer, signingThreads: new PooledSigner({ pool: lowestPriority(pool), crypto, hereUs: 0 }) },
    // Verify on the node's threads but without a script cache, because each block is checked several times.
    verifier: new CachedVerifier(new PooledVerifier(pool), new ScriptCache(0, 0)),
    blockHasher: new PooledBlockHasher(lowestPriority(pool)),
    assembler: assembler.secondAssembler(),
    urgent: urgentWork(pool, { chain, mempool }),
    needless: () => verifier.stats().inputs >= ENOUGH_INPUTS,
    log,
  });
  teardown.add(() => blockWarmup.close());
  const hasMiners = (): boolean => {
    const asked = fronts?.stats().link.methods.get('getblocktemplate');
    return sv2 !== null || stratum !== null || config.fleet !== null || (asked !== undefined && asked.calls > asked.errors);
  };
  scheduler.every(CHECK_MS, () => {
    if (!blockWarmup.begun && !chain.view.isInitialBlockDownload() && hasMiners()) void blockWarmup.startOnce();
  });
}

/** Returns the pool with all jobs in the lowest class, so that they wait behind the node's own jobs. */
function lowestPriority(pool: WorkPool): Pick<WorkPool, 'size' | 'canAcceptWork' | 'run'> {
  return {
    size: pool.size,
    canAcceptWork: () => pool.canAcceptWork('scan'),
    run: (_klass, name, message) => pool.run('scan', name, message),
  };
}

/**
 * Returns a function that tells whether the node has had jobs since its last call, or has a queued change of the chain.
 */
function urgentWork({ posted }: WorkPool, { chain, mempool }: Pick<WiredModules, 'chain' | 'mempool'>): () => boolean {
  let seen = 0;
  return () => {
    const jobs = posted.block + posted.proposal + posted.transaction;
    const fresh = jobs !== seen;
    seen = jobs;
    return fresh || mempool.returning || chain.stats().queued > 0;
  };
}
