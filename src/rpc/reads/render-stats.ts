// Computes statistics of one block from its bytes and the outputs that it spent. Core 0.21: rpc/blockchain.cpp.
import { type BlockView, parseBlock } from '../../consensus/block/block-view.js';
import { compactSizeLength } from '../../consensus/bytes/compact-size.js';
import type { Coin } from '../../consensus/coin.js';
import { blockSubsidy } from '../../consensus/rules/subsidy.js';
import { type Compat, follows, shows } from '../../policy/compat.js';
import { isUnspendable } from '../../policy/script-type.js';
import { fail, RPC_CODE } from '../errors.js';
import type { RenderContext } from '../render/script.js';
import type { JsonResult } from '../wire/values.js';
import type { JobFiles } from './job-files.js';
import { MISSING_UNDO, type StatsJob } from './read-job.js';

/** Size of an unspent output beyond its serialisation: outpoint, height, and coinbase flag. In bytes. */
const COIN_OVERHEAD = 41;

/** COIN_OVERHEAD since release 32: the coinbase flag shares its bytes with the height. */
const LATER_COIN_OVERHEAD = 40;

/** Shares of the total weight at which feerates are reported. */
const PERCENTILES = [0.1, 0.25, 0.5, 0.75, 0.9] as const;

/** Returns the middle value, or the truncated average of the two middle values. Sorts the array in place. */
function truncatedMedian(values: number[]): number {
  if (values.length === 0) return 0;
  values.sort((a, b) => a - b);
  const middle = values.length >> 1;
  return values.length % 2 ? values[middle] : Math.trunc((values[middle - 1] + values[middle]) / 2);
}

/** Returns the feerates at the shares of the total weight in PERCENTILES. */
function percentiles(rates: (readonly [rate: number, weight: number])[], totalWeight: number): number[] {
  if (rates.length === 0) return PERCENTILES.map(() => 0);
  rates.sort(([a, wa], [b, wb]) => a - b || wa - wb);
  const out: number[] = [];
  let weight = 0;
  for (const [rate, own] of rates) {
    weight += own;
    while (out.length < PERCENTILES.length && weight >= totalWeight * PERCENTILES[out.length]) out.push(rate);
  }
  while (out.length < PERCENTILES.length) out.push(rates[rates.length - 1][0]);
  return out;
}

const outputSize = (script: Uint8Array, compat: Compat) =>
  8 + compactSizeLength(script.length) + script.length + (follows(compat, 32) ? LATER_COIN_OVERHEAD : COIN_OVERHEAD);

const max = (values: readonly number[]) => values.reduce((a, b) => Math.max(a, b), 0);

const min = (values: readonly number[]) => (values.length ? values.reduce((a, b) => Math.min(a, b)) : 0);

const sum = (values: readonly number[]) => values.reduce((a, b) => a + b, 0);

const average = (total: number, count: number) => (count > 0 ? Math.trunc(total / count) : 0);

function figures(
  block: BlockView,
  spent: Coin[][],
  { block: { hash }, facts: { height, mediantime } }: StatsJob,
  { compat, params }: RenderContext,
): Record<string, JsonResult> {
  const sizes: number[] = [];
  const fees: number[] = [];
  const rates: (readonly [number, number])[] = [];
  const segwit = { size: 0, weight: 0, count: 0 };
  const totals = { weight: 0, out: 0, inputs: 0, outputs: 0, growth: 0, kept: 0, keptSize: 0 };
  for (const [i, tx] of block.txs.entries()) {
    let out = 0;
    for (let k = 0; k < tx.outputCount; k++) {
      out += tx.outputValue(k);
      const script = tx.outputScript(k);
      totals.growth += outputSize(script, compat);
      // The output of the genesis block and unspendable outputs are not in the set.
      if (height === 0 || isUnspendable(script)) continue;
      totals.kept++;
      totals.keptSize += outputSize(script, compat);
    }
    totals.outputs += tx.outputCount;
    if (i === 0) continue;
    let paid = 0;
    for (const coin of spent[i - 1] ?? []) {
      paid += coin.value;
      totals.growth -= outputSize(coin.script, compat);
      totals.keptSize -= outputSize(coin.script, compat);
    }
    const { weight, totalSize } = tx;
    totals.inputs += tx.inputCount;
    totals.out += out;
    totals.weight += weight;
    sizes.push(totalSize);
    fees.push(paid - out);
    rates.push([weight ? Math.trunc(((paid - out) * 4) / weight) : 0, weight]);
    if (tx.hasWitness) {
      segwit.count++;
      segwit.size += totalSize;
      segwit.weight += weight;
    }
  }
  const feerates = rates.map(([rate]) => rate);
  const totalFee = sum(fees);
  const totalSize = sum(sizes);
  return {
    avgfee: average(totalFee, fees.length),
    avgfeerate: average(totalFee * 4, totals.weight),
    avgtxsize: average(totalSize, sizes.length),
    blockhash: hash,
    feerate_percentiles: percentiles(rates, totals.weight),
    height,
    ins: totals.inputs,
    maxfee: max(fees),
    maxfeerate: max(feerates),
    maxtxsize: max(sizes),
    medianfee: truncatedMedian([...fees]),
    mediantime,
    mediantxsize: truncatedMedian([...sizes]),
    minfee: min(fees),
    minfeerate: min(feerates),
    mintxsize: min(sizes),
    outs: totals.outputs,
    subsidy: blockSubsidy(height, params),
    swtotal_size: segwit.size,
    swtotal_weight: segwit.weight,
    swtxs: segwit.count,
    time: block.header.time,
    total_out: totals.out,
    total_size: totalSize,
    total_weight: totals.weight,
    totalfee: totalFee,
    txs: block.txs.length,
    utxo_increase: totals.outputs - totals.inputs,
    utxo_size_inc: totals.growth,
    ...(shows(compat, { since: 25 }) && { utxo_increase_actual: totals.kept - totals.inputs, utxo_size_inc_actual: totals.keptSize }),
  };
}

/** Returns the result of getblockstats. @throws RpcError */
export function blockStats(job: StatsJob, files: JobFiles, ctx: RenderContext): JsonResult {
  const { compat } = ctx;
  const { height } = job.facts;
  const block = parseBlock(files.block(job.block) as Uint8Array, ctx.hashes);
  // The genesis block has no undo data.
  if (height === 0 ? !follows(compat, 22) : job.undo === null) fail(RPC_CODE.MISC_ERROR, MISSING_UNDO);
  const spent = job.undo === null ? [] : files.undo(job.block, job.undo, block.header.prevHash);
  const all = figures(block, spent, job, ctx);
  if (job.wanted.length === 0) return all;
  const chosen: Record<string, JsonResult> = {};
  for (const name of [...new Set(job.wanted)].sort()) {
    if (!Object.hasOwn(all, name))
      fail(RPC_CODE.INVALID_PARAMETER, `Invalid selected statistic ${follows(compat, 23) ? `'${name}'` : name}`);
    chosen[name] = all[name];
  }
  return chosen;
}
