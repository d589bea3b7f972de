import { SHARE_RESULTS, type WorkerFacts, type WorkerSums } from '../../../stratum/index.js';
import type { MiningContext } from '../../context/mining.js';
import type { ParametersOf } from '../../declare/parameters.js';
import type { Run } from '../../dispatch.js';
import { fail, RPC_CODE } from '../../errors.js';
import { Double, type JsonResult } from '../../wire/values.js';
import type { getstratuminfo as spec } from './getstratuminfo.spec.js';

const MOST_WORKERS = 1000;

export const getstratuminfo: Run<Pick<MiningContext, 'stratum'>, ParametersOf<typeof spec>> = async (
  { address, count, skip },
  { stratum },
) => {
  if (count < 0 || count > MOST_WORKERS) fail(RPC_CODE.INVALID_PARAMETER, `Count must be between 0 and ${MOST_WORKERS}`);
  if (skip < 0) fail(RPC_CODE.INVALID_PARAMETER, 'Negative skip');
  if (stratum === null) return { enabled: false };
  const page = await stratum.workers({ address: address === '' ? null : address, skip, count });
  if (page === null) return fail(RPC_CODE.MISC_ERROR, 'The thread that serves Stratum V1 miners is restarting. Try again in a moment.');
  const { serving, outcomes } = stratum.measures();
  return {
    enabled: true,
    addresses: [...stratum.addresses],
    connections: serving.connectionsOpen,
    miners: serving.minersOpen,
    blocks: { ...outcomes },
    workers: page.total,
    connected: page.connected,
    totals: figuresOf(page.totals),
    list: page.workers.map(workerOf),
  };
};

function workerOf(facts: WorkerFacts): Record<string, JsonResult> {
  const { address, worker, agent, firstSeenMs, difficulty } = facts;
  return { address, worker, agent, firstseen: seconds(firstSeenMs), difficulty: new Double(difficulty), ...figuresOf(facts) };
}

function figuresOf({
  sessions,
  hashrates,
  work,
  bestEver,
  bestOfSession,
  lastShareMs,
  blocks,
  shares,
}: WorkerSums): Record<string, JsonResult> {
  const rates = ['1m', '5m', '1hr', '1d', '7d'].map((window, i) => [`hashrate${window}`, new Double(hashrates[i])] as const);
  return {
    connections: sessions,
    ...Object.fromEntries(rates),
    work: new Double(work),
    bestever: new Double(bestEver),
    bestsession: new Double(bestOfSession),
    lastshare: seconds(lastShareMs),
    blocks,
    shares: Object.fromEntries(SHARE_RESULTS.map((result, i) => [result, shares[i]])),
  };
}

const seconds = (ms: number): number => Math.floor(ms / 1000);
