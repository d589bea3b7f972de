// Opens the chain, checks its newest blocks, and creates the indexes over it.

import { Chain } from '../chain/index.js';
import { toHex } from '../consensus/bytes/hex.js';
import { Engine } from '../engine/engine.js';
import { Indexes } from '../indexes/index.js';
import { PooledBlockHasher } from '../parallel/block-hasher.js';
import { BlockFiles } from '../storage/block-files.js';
import { chainOptions, checkStoredBlocks } from './chain-options.js';
import type { NodeBase } from './open-base.js';
import type { OpenedFronts } from './open-fronts.js';
import type { OpenedStorage } from './open-storage.js';
import type { OpenedThreads } from './open-threads.js';
import { fileSizes } from './pruning.js';
import { RecentBlocks } from './status.js';
import { warmupTexts } from './warmup.js';

export interface OpenedChain {
  readonly chain: Chain;
  readonly indexes: Indexes;
  /** Newest blocks for the status page, with the durations of their phases. */
  readonly blocks: RecentBlocks;
  /** Allows pruning. Called once indexes and wallets can say which blocks they need. */
  allowPruning(): void;
}

/**
 * Opens the chain.
 * @param alert reports a fault to the operator
 * @throws ConfigError, StoreError, ChainFault
 */
export async function openChain(
  base: NodeBase,
  { pool, verifier }: OpenedThreads,
  { setWarmupPhase: warm }: OpenedFronts,
  { scan }: OpenedStorage,
  alert: (text: string) => void,
): Promise<OpenedChain> {
  const { config, params, store, crypto, clock, log, guard, stop, teardown, observe } = base;
  const blocks = new RecentBlocks();
  warm(warmupTexts.loading);
  if (params.signetChallenge !== null) log.info(`Signet derived magic (message start): ${toHex(params.magic)}`);
  const chain = await Chain.open(chainOptions(config, params, scan), {
    params,
    store,
    openFiles: (known) =>
      BlockFiles.open(
        { dir: config.blocksDir, magic: params.magic, xor: config.blocksXor, ...known, ...fileSizes(config) },
        { hashes: crypto },
      ),
    verifier,
    blockHasher: new PooledBlockHasher(pool),
    startEngine: (options) => Engine.start(options),
    crypto,
    clock,
    log,
    guard,
    stopping: stop.signal,
    onFault: (fault) => {
      log.error(`${fault.message}. The node stops. All data that it has acknowledged is on the disk.`);
      alert(fault.message);
      stop.requestStop(fault);
    },
    observe: (name, seconds) => {
      const phase = name.replace('connect_', '');
      observe.blockConnect(phase, seconds);
      blocks.phase(phase, seconds);
    },
  });
  teardown.add(() => chain.close());
  const allowPruning = chain.commands.guardBlocks(() => 0);
  const indexes = new Indexes(config.indexes, {
    chain,
    store,
    hashes: crypto,
    clock,
    log,
    guard,
    onFault: (fault) => stop.requestStop(fault),
  });
  teardown.add(() => indexes.stop());
  if (!scan) {
    warm(warmupTexts.verifying);
    await checkStoredBlocks(chain, config, clock.nowSeconds(), log);
  }
  return { chain, indexes, blocks, allowPruning };
}
