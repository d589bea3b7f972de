// Lists what some descriptors received and spent in given blocks and in the mempool. Render threads derive the scripts
// and search the blocks; the mempool is searched here, because its transactions spend coins of the coins cache. Core:
// rpc/blockchain.cpp.
import type { TxView } from '../../../consensus/tx/tx-view.js';
import { unpackScripts } from '../../../jobs/script-marks.js';
import { Slicer } from '../../../lib/slicer.js';
import { asHash } from '../../args.js';
import type { HeaderInfo } from '../../context/chain.js';
import type { NodeContext, NodeRun } from '../../context/node.js';
import type { CallInfo } from '../../dispatch.js';
import { fail, RPC_CODE } from '../../errors.js';
import { notFound, renderContext } from '../../node/lookup.js';
import { ActivityWriter, type SpentFacts } from '../../node/run-scan-job.js';
import { expandScripts, findActivity } from '../../node/scan-calls.js';
import { ScanScripts } from '../../node/scan-object.js';
import type { ScriptSet } from '../../reads/scan-job.js';
import { type JsonValue, RawBytes } from '../../wire/values.js';
import type { getdescriptoractivity as spec } from './getdescriptoractivity.spec.js';

/** Coins requested at once. */
const COINS_AT_ONCE = 200;

/** Returns the distinct blocks of a list, by height. */
async function blocksOf({ chain }: NodeContext, hashes: readonly JsonValue[], slicer: Slicer): Promise<HeaderInfo[]> {
  const byHeight = new Map<number, HeaderInfo>();
  for (const hash of hashes) {
    const node = chain.node(asHash(hash, 'blockhash')) ?? notFound();
    if (!chain.contains(node)) fail(RPC_CODE.INVALID_PARAMETER, 'Block is not in main chain');
    byHeight.set(node.height, node);
    if (slicer.due) await slicer.pause();
  }
  return Array.from(Int32Array.from(byHeight.keys()).sort(), (height) => byHeight.get(height) as HeaderInfo);
}

export const getdescriptoractivity: NodeRun<typeof spec> = async (params, ctx, call) => {
  const nodes = await blocksOf(ctx, params.blockhashes, new Slicer(call.yieldToUrgent));
  const scripts = await expandScripts(ctx, params.scanobjects, call);
  const parts: Uint8Array[] = [];
  const add = (...events: readonly Uint8Array[]): void => {
    if (events.every(({ length }) => length === 0)) return;
    parts.push(Buffer.from(parts.length === 0 ? '' : ','), ...events);
  };
  for (const node of nodes) add(await findActivity(ctx, node, scripts, call));
  if (params.include_mempool) add(...(await activityOfPool(ctx, scripts, call)));
  return new RawBytes([Buffer.from('{"activity":['), ...parts, Buffer.from(']}')]);
};

async function activityOfPool(ctx: NodeContext, { packed }: ScriptSet, call: CallInfo): Promise<readonly Uint8Array[]> {
  const wanted = new ScanScripts();
  for (const script of unpackScripts(packed)) wanted.add(script);
  const out = new ActivityWriter(wanted, renderContext(ctx));
  const slicer = new Slicer(call.yieldToUrgent);
  await ctx.mempool.settled();
  const list = await ctx.mempool.snapshot();
  try {
    for (let i = 0; i < list.length; i++) {
      const { tx } = list.at(i);
      out.add(tx, await spentBy(ctx, tx), {});
      if (slicer.due) await slicer.pause();
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
