// Finds all unspent outputs of some descriptors, by a coin job. A scan reports its progress and can be stopped at any
// time. Only one scan runs at a time. Core 0.21: rpc/blockchain.cpp.
import { follows } from '../../../policy/compat.js';
import { asArray } from '../../args.js';
import type { ChainContext } from '../../context/chain.js';
import type { NodeContext, NodeRun } from '../../context/node.js';
import type { ParametersOf } from '../../declare/parameters.js';
import type { CallInfo } from '../../dispatch.js';
import { fail, RPC_CODE } from '../../errors.js';
import { stopJob } from '../../node/stop-job.js';
import { createJobWords, JOB_WORD, type JobWords } from '../../reads/coin-job.js';
import { encodeJson } from '../../wire/json-write.js';
import { type JsonResult, RawBytes } from '../../wire/values.js';
import type { scantxoutset as spec } from './scantxoutset.spec.js';

/** Words of the running scan of each chain. A process has one chain, but a test may have several. */
const scans = new WeakMap<ChainContext['chain'], JobWords>();

export const scantxoutset: NodeRun<typeof spec> = (params, ctx, call) => {
  const { action } = params;
  const running = scans.get(ctx.chain);
  switch (action) {
    case 'status':
      return running ? { progress: Atomics.load(running, JOB_WORD.PROGRESS) } : null;
    case 'abort':
      if (running) Atomics.store(running, JOB_WORD.STOP, 1);
      return running !== undefined;
    case 'start':
      if (running) fail(RPC_CODE.INVALID_PARAMETER, 'Scan already in progress, use action "abort" or "status"');
      return start(ctx, params, call);
    default:
      return fail(RPC_CODE.INVALID_PARAMETER, follows(ctx.compat, 25) ? `Invalid action '${action}'` : 'Invalid command');
  }
};

async function start(ctx: NodeContext, { args, scanobjects }: ParametersOf<typeof spec>, call: CallInfo): Promise<JsonResult> {
  if (args.length < 2 || (scanobjects === null && ctx.compat.strictArguments))
    fail(RPC_CODE.MISC_ERROR, 'scanobjects argument is required for the start action');
  const objects = encodeJson(asArray(scanobjects));
  const words = createJobWords();
  const forget = stopJob(words, ctx.stopping, call.signal);
  scans.set(ctx.chain, words);
  try {
    return new RawBytes(await ctx.coinJobs.run({ kind: 'scan', objects, secrets: call.taken?.ofRequest(0) ?? null }, words));
  } finally {
    scans.delete(ctx.chain);
    forget();
  }
}
