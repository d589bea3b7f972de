// Finds all unspent outputs of some descriptors, by a coin job. A scan reports its progress and can be stopped at any
// time. Only one scan runs at a time. Core 0.21: rpc/blockchain.cpp.

import { follows } from '../../../policy/compat.js';
import { asArray } from '../../args.js';
import type { ChainContext } from '../../context/chain.js';
import type { NodeContext, NodeRun } from '../../context/node.js';
import { declare, type ParametersOf } from '../../declare/parameters.js';
import { amount, arr, bool, hex, none, num, obj, str } from '../../declare/parts.js';
import { SCAN_OBJECTS } from '../../declare/scan-parts.js';
import type { CallInfo } from '../../dispatch.js';
import { fail, RPC_CODE } from '../../errors.js';
import { stopJob } from '../../node/stop-job.js';
import { createJobWords, JOB_WORD, type JobWords } from '../../reads/coin-job.js';
import { encodeJson } from '../../wire/json-write.js';
import { type JsonResult, RawBytes } from '../../wire/values.js';

export const spec = declare({
  name: 'scantxoutset',
  category: 'blockchain',
  runs: 'node',
  checks: 'types',
  description:
    'Scans all unspent outputs for those of the given descriptors, such as addr(<address>), raw(<hex script>),\ncombo(<key>), pkh(<key>), sh(multi(<n>,<key>,...)). Keys may be extended keys with a path that ends in /* or\n/*h for a range of indices.',
  args: [
    str(
      'action',
      '"start" starts a scan. "abort" stops the current scan and returns true, or false without a scan. "status" returns the progress, or null\nwithout a scan',
    ),
    arr('scanobjects?', 'The descriptors to search for. Required for "start"', { as: 'json', oneline: '[scanobjects,...]' }, SCAN_OBJECTS),
  ],
  results: [
    bool('Whether a scan was running', { when: 'When action is "abort"' }),
    none({ when: 'When action is "status" and there is no scan' }),
    obj({ when: 'When action is "status"' }, [num('progress', 'Progress in percent')]),
    obj({ when: 'When action is "start"' }, [
      bool('success', 'Whether the scan was completed'),
      num('txouts', 'Number of unspent outputs that were scanned'),
      num('height', 'Height of the tip at the time of the scan'),
      hex('bestblock', 'Hash of that tip'),
      arr('unspents', '', [
        obj([
          hex('txid', 'The transaction id'),
          num('vout', 'The output number'),
          hex('scriptPubKey', 'The script'),
          str('desc', 'Descriptor of the output'),
          amount('amount', 'Amount in BTC'),
          bool('coinbase', 'Whether the output belongs to a coinbase', { since: 25 }),
          num('height', 'Height of the block that contains the output'),
          hex('blockhash', 'Hash of its block', { since: 28 }),
          num('confirmations', 'Number of confirmations', { since: 28 }),
        ]),
      ]),
      amount('total_amount', 'Sum of the found outputs'),
    ]),
  ],
  examples: [{ cli: 'start "[\\"addr(bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080)\\"]"' }, { cli: 'status' }, { cli: 'abort' }],
  waits: true,
});

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
