// Finds blocks that may concern some descriptors, by block filters. A scan reports its progress and can be stopped at
// any time. Only one scan runs at a time. Core: rpc/blockchain.cpp.

import { asBool } from '../../args.js';
import type { ChainContext, HeaderInfo } from '../../context/chain.js';
import type { FilterIndexAccess } from '../../context/indexes.js';
import type { NodeContext, NodeRun } from '../../context/node.js';
import { declare, type ParametersOf } from '../../declare/parameters.js';
import { arr, bool, hex, none, num, obj, str } from '../../declare/parts.js';
import { FILTER_TYPE_ARG, SCAN_OBJECTS } from '../../declare/scan-parts.js';
import type { CallInfo } from '../../dispatch.js';
import { fail, RPC_CODE } from '../../errors.js';
import { assertRunning, expandScripts, findActivity, whileRunning } from '../../node/scan-calls.js';
import { createJobWords, JOB_WORD, type JobWords } from '../../reads/coin-job.js';
import type { ScriptSet } from '../../reads/scan-job.js';
import { HOLE_VALUE, writeWithHoles } from '../../reads/with-holes.js';
import { JsonBytes } from '../../wire/json-bytes.js';
import { JsonObject, type JsonResult, RawBytes } from '../../wire/values.js';

export const spec = declare({
  name: 'scanblocks',
  category: 'blockchain',
  runs: 'node',
  since: 25,
  description:
    'Returns blocks that may concern the given descriptors, according to their filters. Requires -blockfilterindex.\nAbout one of 785,000 pairs of a script and a block matches by mistake, unless filter_false_positives is set.',
  args: [
    str(
      'action',
      '"start" starts a scan. "abort" stops the current scan and returns true, or false without a scan. "status" returns the progress, or null\nwithout a scan',
      { oneOf: ['start', 'abort', 'status'], refusal: { code: RPC_CODE.INVALID_PARAMETER, text: "Invalid action '%s'" } },
    ),
    arr('scanobjects?', 'The descriptors to search for. Required for "start"', { oneline: '[scanobjects,...]' }, SCAN_OBJECTS),
    num('start_height', 'Height of the first block', { default: '0' }),
    num('stop_height?', 'Height of the last block (default: the tip)'),
    { ...FILTER_TYPE_ARG, help: 'Type of the filters' },
    obj('options?', '', { oneline: 'options', namedMembers: true }, [
      bool('filter_false_positives', 'Read the matching blocks and omit those that match by mistake. Fails if they were pruned', {
        default: 'false',
      }),
    ]),
  ],
  results: [
    none({ when: 'When action is "status" and there is no scan' }),
    obj({ when: 'When action is "start"; after the scan' }, [
      num('from_height', 'Height of the first block'),
      num('to_height', 'Height of the last scanned block'),
      arr('relevant_blocks', 'Blocks that may concern the descriptors', [hex('A block hash')]),
      bool('completed', 'Whether the scan was completed'),
    ]),
    obj({ when: 'When action is "status"' }, [
      num('progress', 'Progress in percent'),
      num('current_height', 'Height of the block that is being scanned'),
    ]),
    bool('Whether a scan was running', { when: 'When action is "abort"' }),
  ],
  examples: [{ cli: `start '["addr(bcrt1q4u4nsgk6ug0sqz7r3rj9tykjxrsl0yy4d0wwte)"]' 300000` }, { cli: 'status', rpc: '"status"' }],
  waits: true,
});

interface Scan {
  /** Progress in percent. */
  progress: number;
  height: number;
  /** Stop the derivation of the scripts, and the search. */
  readonly words: JobWords;
}

/** Filters compared at a time: about 2 MB. */
const STEP = 100;

/** The running scan of each chain. A process has one chain, but a test may have several. */
const scans = new WeakMap<ChainContext['chain'], Scan>();

export const scanblocks: NodeRun<typeof spec> = (params, ctx, call) => {
  const { action } = params;
  const running = scans.get(ctx.chain);
  switch (action) {
    case 'status':
      return running ? { progress: running.progress, current_height: running.height } : null;
    case 'abort':
      if (running) Atomics.store(running.words, JOB_WORD.STOP, 1);
      return running !== undefined;
    case 'start':
      if (running) fail(RPC_CODE.INVALID_PARAMETER, 'Scan already in progress, use action "abort" or "status"');
      return start(ctx, params, call);
  }
};

async function start(ctx: NodeContext, params: ParametersOf<typeof spec>, call: CallInfo): Promise<JsonResult> {
  const own: Scan = { progress: 0, height: 0, words: createJobWords() };
  scans.set(ctx.chain, own);
  try {
    const { scanobjects } = params;
    if (scanobjects === undefined) return fail(RPC_CODE.MISC_ERROR, 'scanobjects argument is required for the start action');
    const { filtertype: type } = params;
    const options = params.options ?? new JsonObject([], []);
    const certain = options.has('filter_false_positives') && asBool(options.get('filter_false_positives'));
    const index = ctx.filterIndex ?? fail(RPC_CODE.MISC_ERROR, `Index is not enabled for filtertype ${type}`);
    const [first, last] = bounds(ctx, params);
    const stopped = (): boolean => Atomics.load(own.words, JOB_WORD.STOP) !== 0 || call.signal?.aborted === true;
    const wanted = await expandScripts(ctx, scanobjects, call, own.words);
    await index.state.waitUntilSynced();
    const { to, found, completed } = await search(ctx, { index, own, first, last, wanted, certain, stopped }, call);
    const out = new JsonBytes();
    writeWithHoles(out, { from_height: first, to_height: to, relevant_blocks: HOLE_VALUE, completed }, [
      () => {
        out.text('[');
        for (const [i, node] of found.entries()) {
          out.beginEntry();
          if (i > 0) out.text(',');
          out.hash(node.hash);
        }
        out.text(']');
      },
    ]);
    return new RawBytes(out.parts());
  } finally {
    scans.delete(ctx.chain);
  }
}

/** Returns the height of the first block, and the last block. */
function bounds({ chain }: NodeContext, params: ParametersOf<typeof spec>): [number, HeaderInfo] {
  const at = (height: number, name: string): HeaderInfo => {
    return (height < 0 ? undefined : chain.atHeight(height)) ?? fail(RPC_CODE.MISC_ERROR, `Invalid ${name}`);
  };
  const from = at(params.start_height, 'start_height').height;
  const to = params.stop_height === undefined ? chain.tip : at(params.stop_height, 'stop_height');
  if (to.height < from) fail(RPC_CODE.MISC_ERROR, 'Invalid stop_height');
  return [from, to];
}

interface Search {
  readonly index: FilterIndexAccess;
  readonly own: Scan;
  readonly first: number;
  readonly last: HeaderInfo;
  readonly wanted: ScriptSet;
  /** True to read the matching blocks, to exclude false positives. */
  readonly certain: boolean;
  stopped(): boolean;
}

/**
 * Compares the filters of the blocks with the scripts.
 * @returns height of the last block that was compared (that of the first block if none was), the matching blocks, and
 *   whether all blocks were compared
 */
async function search(ctx: NodeContext, { index, own, first, last, wanted, certain, stopped }: Search, call: CallInfo) {
  const match = index.search(wanted.packed);
  const found: HeaderInfo[] = [];
  let to = first;
  let compared = 0;
  own.height = first;
  for (let from = first; from <= last.height; from += STEP) {
    assertRunning(ctx);
    if (stopped()) break;
    const end = Math.min(from + STEP - 1, last.height);
    const nodes: HeaderInfo[] = [];
    for (let at = last.ancestor(end); at !== null && at.height >= from; at = at.prev) nodes.unshift(at);
    const hits = await whileRunning(ctx, match(nodes.map(({ hash }) => hash)));
    for (const [i, node] of nodes.entries()) {
      // Stop at the first block that the index has not reached.
      if (hits[i] === undefined) return { to, found, completed: false };
      if (hits[i] && (!certain || (await findActivity(ctx, node, wanted, call)).length > 0)) found.push(node);
      to = node.height;
      compared++;
    }
    own.height = to;
    own.progress = last.height === first ? 100 : Math.floor((100 * (to - first)) / (last.height - first));
  }
  return { to, found, completed: compared === last.height - first + 1 };
}
