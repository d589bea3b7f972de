// Metrics of the chain.
import { type Metrics, secondsBuckets } from '../metrics/index.js';
import { difficultyOf } from '../rpc/render/difficulty.js';
import type { FindMetricSources } from './metric-sources.js';

/** Adds the metrics. @returns a function that records the duration of a phase of connecting a block */
export function addChainMetrics(metrics: Metrics, sources: FindMetricSources) {
  const chain = () => sources()?.chain;
  metrics.group(chain, [
    ['bitcoin_blocks', 'Height of the tip', ({ view }) => view.tip.height],
    ['bitcoin_difficulty', 'Difficulty of the tip', ({ view }) => difficultyOf(view.tip.bits)],
    ['bitcoin_verification_progress', 'Estimated part of the chain that is verified', ({ view }) => view.verificationProgress(view.tip)],
    ['bitcoin_size_on_disk', 'Bytes of block and undo files', (of) => of.blocks.sizeOnDisk()],
    ['bitcoin_num_chaintips', 'Tips of the header tree, including those of forks', (of) => of.view.tips().length],
    ['bitcoin_txcount', 'Transactions in the chain up to the tip', ({ view }) => view.tip.chainTxCount],
    [
      'adit_prune_height',
      'Height of the lowest stored block; 0 without pruning',
      ({ blocks }) => (blocks.pruneSettings === null ? 0 : blocks.lowestStored.height),
    ],
    ['adit_initial_block_download', '1 while catching up', (of) => Number(of.view.isInitialBlockDownload())],
    ['adit_tip_age_seconds', "Time since the tip's own time", ({ view }) => Math.max(0, Date.now() / 1000 - view.tip.time)],
  ]);
  metrics.group(
    () => chain()?.stats(),
    [
      ['adit_headers', 'Height of the best known header', (stats) => stats.headers],
      ['adit_blocks_connected_total', 'Blocks connected to the active chain', (stats) => stats.blocksConnected],
      ['adit_blocks_disconnected_total', 'Blocks disconnected from the active chain', (stats) => stats.blocksDisconnected],
      ['adit_blocks_rejected_total', 'Blocks found invalid', (stats) => stats.blocksRejected],
      ['adit_reorgs_total', 'Changes of the tip that disconnected blocks', (stats) => stats.reorgs],
      ['adit_coins_cache_bytes', 'Memory of the coins cache', (stats) => stats.coinsCacheBytes],
      ['adit_chain_database_bytes', "Memory of the chain's database", (stats) => stats.databaseBytes],
      ['adit_chain_queue_depth', 'Changes of the chain in the queue', (stats) => stats.queued],
    ],
  );
  metrics.group(
    () => chain()?.download.engine ?? undefined,
    [
      ['adit_engine_height', 'Height of the last block that the running download engine has connected', (engine) => engine.height],
      ['adit_engine_coins', 'Coins in the memory of the running download engine', (engine) => engine.coins],
      ['adit_engine_bytes', 'Memory of the coins in the running download engine', (engine) => engine.bytes],
      [
        'adit_engine_checkpoint_age_seconds',
        'Time since the running download engine wrote its coins. A crash costs the work since then',
        (engine) => engine.checkpointAgeSeconds,
      ],
    ],
  );
  metrics.group(
    () => sources()?.latest(),
    [
      ['bitcoin_latest_block_height', 'Height of the newest block', (block) => block.height],
      ['bitcoin_latest_block_txs', 'Transactions in the newest block', (block) => block.transactions],
      [
        'bitcoin_latest_block_size',
        'Bytes of the transactions in the newest block without the coinbase (total_size of getblockstats)',
        (block) => block.bytes,
      ],
      [
        'bitcoin_latest_block_weight',
        'Weight of the transactions in the newest block without the coinbase (total_weight of getblockstats)',
        (block) => block.weight,
      ],
      ['bitcoin_latest_block_inputs', 'Inputs in the newest block without the coinbase', (block) => block.inputs],
      ['bitcoin_latest_block_outputs', 'Outputs in the newest block', (block) => block.outputs],
      [
        'bitcoin_latest_block_value',
        'Bitcoin in the outputs of the newest block without the coinbase (total_out of getblockstats)',
        (block) => block.value / 1e8,
      ],
      ['bitcoin_latest_block_fee', 'Fees of the newest block in bitcoin', (block) => block.fee / 1e8],
    ],
  );
  const connect = metrics.histogram('adit_block_connect_seconds', 'Time to connect a block, by phase', secondsBuckets, ['phase']);
  metrics.group(
    () => sources()?.submissions.counts,
    [['adit_submitted_blocks_total', 'Blocks submitted by clients, by outcome', (counts) => counts, 'outcome']],
  );
  return {
    /** Records the duration of a phase: gather, scripts, apply, persist, total. */
    blockConnect: (phase: string, seconds: number): void => connect(seconds, { phase }),
  };
}
