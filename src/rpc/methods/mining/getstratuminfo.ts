import { SHARE_RESULTS, type WorkerFacts, type WorkerSums } from '../../../stratum/index.js';
import type { MiningContext } from '../../context/mining.js';
import { declare, type ParametersOf } from '../../declare/parameters.js';
import { arr, bool, num, obj, str, time } from '../../declare/parts.js';
import type { ResultSpec } from '../../declare/types.js';
import type { Run } from '../../dispatch.js';
import { fail, RPC_CODE } from '../../errors.js';
import { Double, type JsonResult } from '../../wire/values.js';

/** Members of one worker, and of the totals. */
const figures: readonly ResultSpec[] = [
  num('connections', 'Open connections'),
  num('hashrate1m', 'Mean hashes per second over a minute, estimated from accepted shares'),
  num('hashrate5m', 'Over 5 minutes'),
  num('hashrate1hr', 'Over an hour'),
  num('hashrate1d', 'Over a day'),
  num('hashrate7d', 'Over 7 days'),
  num('work', 'Sum of the difficulties of all accepted shares'),
  num('bestever', 'Difficulty of the best accepted share'),
  num('bestsession', 'The same since the worker connected'),
  time('lastshare', 'Time of the last accepted share; 0 if there is none'),
  num('blocks', 'Shares that are blocks'),
  obj('shares', 'Number of shares by result', [
    num('accepted', ''),
    num('stale', 'For an older tip'),
    num('duplicate', 'Sent before'),
    num('low-difficulty', ''),
    num('unauthorized', 'For a user name that the connection has not authorized'),
    num('unknown-job', 'For a job that this node has never sent, or that is too old'),
    num('invalid', 'Malformed, or with a time or version bits that are not allowed'),
  ]),
];

export const spec = declare({
  name: 'getstratuminfo',
  category: 'mining',
  runs: 'node',
  repeatable: true,
  description:
    'Returns the state of the Stratum V1 server (-stratum) and a page of its workers (not in Bitcoin Core). A worker is kept from its\nfirst accepted share on; workers that are connected without such a share are at the end of the list. At a front (adit-front -stratum)\nthe call describes the workers of that front.',
  args: [
    str('address', 'Only workers of this address. An empty string selects all workers', { default: '""' }),
    num('count', 'Number of workers on the page, at most 1000', { default: '100' }),
    num('skip', 'Number of workers to leave out at the start', { default: '0' }),
  ],
  results: [
    obj([
      bool('enabled', 'Whether the node runs with -stratum. If not, all other members are absent'),
      arr('addresses?', 'Addresses to which miners connect', [str('host:port')]),
      num('connections?', 'Number of open connections of all addresses'),
      num('miners?', 'Number of those that have an authorized name'),
      obj('blocks?', 'Blocks that miners found since the start', [
        num('accepted', 'Blocks that became part of the best chain'),
        num('duplicate', 'Blocks that were already in the best chain'),
        num('lost', 'Blocks that lost to another block'),
        num('invalid', 'Invalid blocks'),
        num('fault', 'Blocks that could not be checked. The next start submits them again'),
      ]),
      num('workers?', 'Number of workers that match'),
      num('connected?', 'Number of those that are connected'),
      obj('totals?', 'Sums over all workers that match; best shares and time: of the best worker', figures),
      arr('list?', 'The page, newest accepted share first', [
        obj([
          str('address', 'Address that the worker mines for'),
          str('worker', 'Name of the worker'),
          str('agent', 'Firmware, as it calls itself'),
          time('firstseen', 'Time from which the worker is counted'),
          num('difficulty', 'Difficulty of the last accepted share; 0 if there was none since the start'),
          ...figures,
        ]),
      ]),
    ]),
  ],
  examples: [
    { cli: '', rpc: '' },
    { cli: '"bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4" 10', rpc: '"bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4", 10' },
  ],
});

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
