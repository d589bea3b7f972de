// Converts the node's options to the chain's, and checks stored blocks at start.

import type { Chain } from '../chain/index.js';
import { batchBounds, type ChainOptions, type EngineSettings } from '../chain/options.js';
import { ConfigError, type NodeConfig } from '../config/index.js';
import { MAX_FUTURE_BLOCK_TIME } from '../consensus/limits.js';
import type { ChainParams } from '../consensus/params/chain-params.js';
import type { NodeLogger } from '../log/create-logger.js';
import type { ZmqTopic } from '../notify/options.js';
import { follows } from '../policy/compat.js';
import { noteShortCheck, pruneSettings } from './pruning.js';

/**
 * Number of transactions in stored blocks that a start connects before it answers calls: what a crash leaves, but not a
 * reindex.
 */
const MAX_CONNECTED_AT_OPEN = 20_000;

/**
 * Returns the chain's options.
 * @param scan whether the chain is built again from the block files
 */
export function chainOptions(config: NodeConfig, params: ChainParams, scan: boolean): Partial<ChainOptions> {
  const engine = engineSettings(config);
  return {
    coinsCacheBytes: config.dbCacheBytes,
    flushBytes: config.dbCacheBytes >> 1,
    ...batchBounds(config.dbBatchBytes),
    scriptThreads: config.par,
    plainScriptFaults: config.policy.detailed,
    triedHeaderFirst: !follows(config.compat, 30),
    failedBranches: follows(config.compat, 29),
    maxTipAge: config.maxTipAgeSeconds,
    minimumChainWork: config.minimumChainWorkHex === undefined ? null : BigInt(`0x${config.minimumChainWorkHex}`),
    assumeValid: config.assumeValidHex ?? null,
    checkpoints: config.checkpoints,
    adoptAtOpen: !scan,
    prune: pruneSettings(config, params),
    engine,
    connectAtOpen: config.stopAtHeight > 0 || scan || (config.reindexChainstate && engine !== null) ? -1 : MAX_CONNECTED_AT_OPEN,
  };
}

/** Number of blocks ahead from which the download engine starts, so that small chains start as fast as without it. */
const LEAST_ENGINE_BLOCKS = 300;
/** ZMQ topics with a message for every block or transaction of the initial download. */
const TOPICS_OF_EVERY_BLOCK: readonly ZmqTopic[] = ['hashtx', 'rawtx', 'sequence'];

/** Returns the settings of the download engine; null if the operator has switched it off. */
export function engineSettings({ downloadEngine, notify, par, stopAtHeight }: NodeConfig): EngineSettings | null {
  if (!downloadEngine) return null;
  // The engine does not pass on the blocks that it connects, and subscribers of these topics must not miss one.
  const topic = TOPICS_OF_EVERY_BLOCK.find((one) => notify.zmq.some((publisher) => publisher.topic === one));
  return {
    threads: par,
    leastBlocks: LEAST_ENGINE_BLOCKS,
    stopHeight: stopAtHeight > 0 ? stopAtHeight : Number.POSITIVE_INFINITY,
    forbidden: topic === undefined ? null : `-zmqpub${topic} publishes the transactions of every block`,
  };
}

/** Checks the newest blocks (-checkblocks, -checklevel). @throws ConfigError if they are damaged, or the clock is far behind the tip */
export async function checkStoredBlocks(chain: Chain, config: NodeConfig, nowSeconds: number, log: NodeLogger): Promise<void> {
  // The genesis block may be newer than -mocktime, with which tests start.
  if (chain.view.tip.height > 0 && chain.view.tip.time > nowSeconds + MAX_FUTURE_BLOCK_TIME) {
    throw new ConfigError(
      "The block database contains a block which appears to be from the future. This may be due to your computer's date and time being set incorrectly. Only rebuild the block database if you are sure that your computer's date and time are correct",
    );
  }
  const checked = Math.min(config.checkBlocks || Number.POSITIVE_INFINITY, chain.view.tip.height);
  noteShortCheck(chain, config.checkBlocks, log);
  if (checked > 0) log.info(`Verifying last ${checked} blocks at level ${config.checkLevel}`);
  const wrong = await chain.commands.verifyStored(config.checkLevel, config.checkBlocks);
  if (wrong === null) return;
  throw new ConfigError(`Corrupted block database detected. Please restart with -reindex or -reindex-chainstate to recover. (${wrong})`);
}
