// Compares the fees of mode `live` with the ancestor selection of Core 0.21, over many random mempools of each shape:
// the distribution of the gain in percent of a block's fees. The bench counts fees, not time, so the figures are the
// same on every machine.
//
//   node build/bench/template-fees.js [--json]

import { selectByAncestors } from '../src/selection/ancestor-selection.js';
import { selectBestBlock } from '../src/selection/best-block.js';
import { ClusterIndex } from '../src/selection/cluster/cluster-index.js';
import { fillByChunks } from '../src/selection/fill.js';
import { POOL_SHAPES, type PoolShape, poolColumns, poolLimits, poolRanking, randomPool } from '../test/framework/random-pools.js';

const POOLS = 200;
const TXS = 400;
/** Blocks that take most of a pool, half of it, a small part. */
const BLOCK_WEIGHTS = [400_000, 200_000, 60_000];

interface Row {
  readonly shape: PoolShape;
  readonly blocks: number;
  readonly less: number;
  readonly same: number;
  readonly more: number;
  /** Mempools in which the chunks alone earn less than the other selection. */
  readonly chunksLess: number;
  readonly percent: { readonly p50: number; readonly p90: number; readonly max: number; readonly mean: number };
}

function measure(shape: PoolShape): Row {
  const percents: number[] = [];
  let less = 0;
  let chunksLess = 0;
  for (let seed = 0; seed < POOLS; seed++) {
    const c = poolColumns(randomPool(shape, TXS, seed));
    const ranking = poolRanking(c);
    const index = new ClusterIndex();
    index.update(c, new Int32Array(0), ranking);
    const paid = (slots: Int32Array): number => slots.reduce((sum, slot) => sum + c.modifiedFee[slot], 0);
    for (const weight of BLOCK_WEIGHTS) {
      const limits = poolLimits(weight);
      const core = paid(selectByAncestors(c, ranking, limits).slots);
      const live = paid(selectBestBlock(c, ranking, index, limits).slots);
      if (paid(fillByChunks(c, index, limits).slots) < core) chunksLess++;
      if (live < core) less++;
      percents.push(core === 0 ? 0 : (100 * (live - core)) / core);
    }
  }
  percents.sort((a, b) => a - b);
  const at = (part: number): number => percents[Math.min(percents.length - 1, Math.floor(part * percents.length))];
  const more = percents.filter((percent) => percent > 0).length;
  return {
    shape,
    blocks: percents.length,
    less,
    same: percents.length - more - less,
    more,
    chunksLess,
    percent: { p50: at(0.5), p90: at(0.9), max: at(1), mean: percents.reduce((sum, percent) => sum + percent, 0) / percents.length },
  };
}

const rows = POOL_SHAPES.map(measure);
if (process.argv.includes('--json')) console.log(JSON.stringify({ bench: 'selection/best-block', pools: POOLS, rows }));
else {
  console.log('selection/best-block: what a pool earns with a block, in percent more than with the ancestor selection');
  console.log(`${POOLS} pools of ${TXS} transactions a shape, blocks of ${BLOCK_WEIGHTS.join(', ')} weight units`);
  console.log(
    ['shape'.padEnd(12), 'blocks', ' less', ' same', ' more', '   mean', '    p50', '    p90', '    max', '  chunks alone less'].join(' '),
  );
  for (const { shape, blocks, less, same, more, chunksLess, percent } of rows) {
    const shown = [percent.mean, percent.p50, percent.p90, percent.max].map((value) => value.toFixed(2).padStart(7));
    const counts = [less, same, more].map((count) => String(count).padStart(5));
    console.log([shape.padEnd(12), String(blocks).padStart(6), ...counts, ...shown, String(chunksLess).padStart(8)].join(' '));
  }
}
