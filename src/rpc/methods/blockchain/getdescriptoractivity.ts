// Lists what some descriptors received and spent in given blocks and in the mempool. Render threads derive the scripts
// and search the blocks; the mempool is searched here, because its transactions spend coins of the coins cache. Core:
// rpc/blockchain.cpp.

import type { TxView } from '../../../consensus/tx/tx-view.js';
import { unpackScripts } from '../../../jobs/script-marks.js';
import { TimeSlice } from '../../../lib/time-slice.js';
import { asHash } from '../../args.js';
import type { HeaderInfo } from '../../context/chain.js';
import type { NodeContext, NodeRun } from '../../context/node.js';
import { SCRIPT_MEMBERS } from '../../declare/members.js';
import { declare } from '../../declare/parameters.js';
import { amount, arr, bool, hex, num, obj, str } from '../../declare/parts.js';
import { SCAN_OBJECTS } from '../../declare/scan-parts.js';
import type { ResultSpec } from '../../declare/types.js';
import { fail, RPC_CODE } from '../../errors.js';
import { notFound, renderContext } from '../../node/lookup.js';
import { ActivityWriter, type SpentFacts } from '../../node/run-scan-job.js';
import { expandScripts, findActivity } from '../../node/scan-calls.js';
import { ScanScripts } from '../../node/scan-object.js';
import { ScanSize, type ScriptSet } from '../../reads/scan-job.js';
import { type JsonValue, RawBytes } from '../../wire/values.js';

const PLACE: readonly ResultSpec[] = [
  hex('blockhash?', 'Hash of the block of the transaction. Absent for a transaction in the mempool'),
  num('height?', 'Height of that block'),
];

export const spec = declare({
  name: 'getdescriptoractivity',
  category: 'blockchain',
  runs: 'node',
  since: 29,
  description:
    'Returns the outputs that pay to descriptors, and the inputs that spend such outputs, in the given blocks and\nin the mempool. scanblocks finds suitable blocks.',
  args: [
    arr('blockhashes', 'Blocks of the best chain, in any order', [hex('blockhash?', 'A block hash')]),
    arr('scanobjects', 'The descriptors to search for', { oneline: '[scanobjects,...]' }, SCAN_OBJECTS),
    bool('include_mempool', 'Whether to search the mempool too', { default: 'true' }),
  ],
  results: [
    obj([
      arr('activity', 'In the order of the blocks, then of the mempool', [
        obj('An output was spent', [
          str('type', '"spend"'),
          amount('amount', 'Amount that was spent, in BTC'),
          ...PLACE,
          hex('spend_txid', 'Id of the spending transaction'),
          num('spend_vin', 'Index of the spending input'),
          hex('prevout_txid', 'The transaction whose output is spent'),
          num('prevout_vout', 'Index of that output'),
          obj('prevout_spk', '', SCRIPT_MEMBERS),
        ]),
        obj('An output was received', [
          str('type', '"receive"'),
          amount('amount', 'Amount that was received, in BTC'),
          ...PLACE,
          hex('txid', 'The transaction'),
          num('vout', 'Index of the output'),
          obj('output_spk', '', SCRIPT_MEMBERS),
        ]),
      ]),
    ]),
  ],
  examples: [
    {
      cli: `'["000000000000000000001347062c12fded7c528943c8ce133987e2e2f5a840ee"]' '["addr(bc1qzl6nsgqzu89a66l50cvwapnkw5shh23zarqkw9)"]'`,
    },
  ],
  waits: true,
});

/** Coins requested at once. */
const COINS_AT_ONCE = 200;

/** Returns the distinct blocks of a list, by height. */
async function blocksOf({ chain }: NodeContext, hashes: readonly JsonValue[]): Promise<HeaderInfo[]> {
  const byHeight = new Map<number, HeaderInfo>();
  const slice = new TimeSlice();
  for (const hash of hashes) {
    const node = chain.node(asHash(hash, 'blockhash')) ?? notFound();
    if (!chain.contains(node)) fail(RPC_CODE.INVALID_PARAMETER, 'Block is not in main chain');
    byHeight.set(node.height, node);
    if (slice.over) await slice.next();
  }
  return Array.from(Int32Array.from(byHeight.keys()).sort(), (height) => byHeight.get(height) as HeaderInfo);
}

export const getdescriptoractivity: NodeRun<typeof spec> = async (params, ctx, call) => {
  const nodes = await blocksOf(ctx, params.blockhashes);
  const scripts = await expandScripts(ctx, params.scanobjects, call);
  const parts: Uint8Array[] = [];
  const size = new ScanSize();
  const add = (...events: readonly Uint8Array[]): void => {
    if (events.every(({ length }) => length === 0)) return;
    parts.push(Buffer.from(parts.length === 0 ? '' : ','), ...events);
  };
  for (const node of nodes) {
    const events = await findActivity(ctx, node, scripts, call);
    size.add(events.length);
    add(events);
  }
  if (params.include_mempool) add(...(await activityOfPool(ctx, scripts, size)));
  return new RawBytes([Buffer.from('{"activity":['), ...parts, Buffer.from(']}')]);
};

async function activityOfPool(ctx: NodeContext, { packed }: ScriptSet, size: ScanSize): Promise<readonly Uint8Array[]> {
  const wanted = new ScanScripts();
  for (const script of unpackScripts(packed)) wanted.add(script);
  const out = new ActivityWriter(wanted, renderContext(ctx));
  const slice = new TimeSlice();
  await ctx.mempool.settled();
  const list = await ctx.mempool.snapshot();
  try {
    for (let i = 0; i < list.length; i++) {
      const { tx } = list.at(i);
      const before = out.json.size;
      out.add(tx, await spentBy(ctx, tx), {});
      size.add(out.json.size - before);
      if (slice.over) await slice.next();
    }
  } finally {
    list.release();
  }
  return out.json.parts();
}

/** Returns what the inputs of a mempool transaction spend. */
async function spentBy(ctx: NodeContext, tx: TxView): Promise<(SpentFacts | undefined)[]> {
  const outpoints = Array.from({ length: tx.inputCount }, (_, input) => tx.outpoint(input));
  const coins: (SpentFacts | undefined)[] = [];
  while (coins.length < outpoints.length) {
    const found = await ctx.coins.coinsAt(outpoints.slice(coins.length, coins.length + COINS_AT_ONCE));
    // An output that is not in the chain belongs to another transaction of the mempool, or that transaction was mined
    // meanwhile.
    for (const coin of found) coins.push(coin ?? pooledOutput(ctx, tx, coins.length));
  }
  return coins;
}

function pooledOutput(ctx: NodeContext, tx: TxView, input: number): SpentFacts | undefined {
  const parent = ctx.mempool.get(tx.prevHash(input))?.tx;
  const index = tx.prevIndex(input);
  if (parent === undefined || index >= parent.outputCount) return undefined;
  return { value: parent.outputValue(index), script: parent.outputScript(index) };
}
