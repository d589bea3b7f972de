// Opens the mempool and its files. Transactions of the last run are restored after the chain is loaded.

import type { Chain } from '../chain/index.js';
import type { NodeConfig } from '../config/index.js';
import type { Clock } from '../lib/clock.js';
import { copyTables, FeeEstimator, Mempool, PoolFiles, sortedRows } from '../mempool/index.js';
import { follows } from '../policy/compat.js';
import { runSortJob } from '../rpc/node/mempool-text.js';
import { mempoolOptions } from './mempool-options.js';
import type { NodeBase } from './open-base.js';
import type { OpenedThreads } from './open-threads.js';

/** First release of Core that has no fee estimates with -blocksonly. */
const NO_ESTIMATES_WITHOUT_RELAY = 22;
/** First release of Core that ignores an old estimates file, and the largest age in hours. */
const STALE_ESTIMATES = 25;
const MAX_ESTIMATES_HOURS = 60;
/** Age of the tip in seconds above which waiting times are not learnt. */
const FEE_TIP_AGE_SECONDS = 3 * 60 * 60;
/**
 * Number of transactions up to which the node thread sorts a snapshot itself. Each stop takes a snapshot, and the start
 * of a render thread takes 0.1 s of processor time.
 */
const SORTED_AT_ONCE = 500;

export interface OpenedMempool {
  readonly mempool: Mempool;
  readonly poolFiles: PoolFiles;
}

/** Core's IsCurrentForFeeEstimation: waiting times are meaningful only while blocks arrive when they are mined. */
function blocksAreCurrent(chain: Chain, clock: Clock): boolean {
  if (chain.view.isInitialBlockDownload() || chain.view.tip.time < clock.nowSeconds() - FEE_TIP_AGE_SECONDS) return false;
  return chain.view.tip.height >= chain.view.bestHeader.height - 1;
}

/** Loads the saved fee estimates if the options and -compat allow it. */
function loadFees(files: PoolFiles, { net, compat, acceptStaleFees }: NodeConfig): Promise<FeeEstimator> | FeeEstimator {
  if (net.blocksOnly && follows(compat, NO_ESTIMATES_WITHOUT_RELAY)) return new FeeEstimator(false);
  return files.loadFees(acceptStaleFees || !follows(compat, STALE_ESTIMATES) ? undefined : MAX_ESTIMATES_HOURS);
}

export async function openMempool(base: NodeBase, chain: Chain, { verifier, renderers }: OpenedThreads): Promise<OpenedMempool> {
  const { config, params, crypto, clock, log, guard, teardown } = base;
  const poolFiles = new PoolFiles({ dir: config.netDir, hashes: crypto, clock, log });
  const options = mempoolOptions(config, params);
  const byChunks = config.policy.clusters;
  const mempool = new Mempool(options, {
    chain: chain.view,
    verifier,
    clock,
    log,
    guard,
    sortRows: (tables) => {
      if (mempool.size <= SORTED_AT_ONCE) return sortedRows(tables, byChunks);
      const job = { copy: copyTables(tables), byChunks };
      return renderers.runNamed<Int32Array>('sortMempool', job).catch(() => runSortJob(job));
    },
    fees: await loadFees(poolFiles, config),
    blocksAreCurrent: () => blocksAreCurrent(chain, clock),
  });
  chain.commands.useCheckedTransactions(mempool);
  teardown.add(() => poolFiles.close(mempool, config.persistMempool));
  return { mempool, poolFiles };
}
