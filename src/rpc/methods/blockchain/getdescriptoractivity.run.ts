// Lists what some descriptors received and spent in given blocks and in the mempool. Core: rpc/blockchain.cpp.
import type { TxView } from '../../../consensus/tx/tx-view.js';
import { sortInSlices } from '../../../lib/sort-in-slices.js';
import { asHash } from '../../args.js';
import type { HeaderInfo } from '../../context/chain.js';
import type { NodeContext, NodeRun } from '../../context/node.js';
import type { CallInfo } from '../../dispatch.js';
import { fail, RPC_CODE } from '../../errors.js';
import { heavyCall } from '../../node/heavy-call.js';
import { notFound, readBlock, readUndo, renderContext } from '../../node/lookup.js';
import { type ScanScripts, scanScripts } from '../../node/scan-object.js';
import { Slicer } from '../../node/slices.js';
import { hashHex } from '../../render/hex.js';
import { scriptMembers } from '../../render/script.js';
import { encodeJson } from '../../wire/json-write.js';
import { Pieces } from '../../wire/pieces.js';
import { Amount, type JsonResult, type JsonValue, RawJson } from '../../wire/values.js';
import type { getdescriptoractivity as spec } from './getdescriptoractivity.spec.js';

/** Coins requested at once. */
const COINS_AT_ONCE = 200;

/** The output that an input spends: the facts that an event contains. */
interface Spent {
  readonly value: number;
  readonly script: Uint8Array;
}

/** Collects events of transactions that pay to the scripts or spend from them. */
class Activity {
  readonly #ctx: NodeContext;
  readonly #wanted: ScanScripts;
  readonly #slicer: Slicer;
  readonly #pieces = new Pieces(',');

  constructor(ctx: NodeContext, wanted: ScanScripts, call: CallInfo) {
    this.#ctx = ctx;
    this.#wanted = wanted;
    this.#slicer = new Slicer(call.yieldToUrgent);
  }

  get text(): RawJson {
    return new RawJson(`[${this.#pieces.text()}]`);
  }

  /** @param spent by input; empty for a coinbase @param node null if the transaction is in no block */
  async add(tx: TxView, spent: readonly (Spent | undefined)[], node: HeaderInfo | null): Promise<void> {
    const place = node === null ? {} : { blockhash: node.hashHex, height: node.height };
    for (const [i, coin] of spent.entries()) {
      if (coin !== undefined && this.#wanted.has(coin.script)) {
        this.#addEntry('spend', coin, {
          ...place,
          spend_txid: hashHex(tx.txid),
          spend_vin: i,
          prevout_txid: hashHex(tx.prevHash(i)),
          prevout_vout: tx.prevIndex(i),
          prevout_spk: this.#shown(coin.script),
        });
      }
      if (this.#slicer.due) await this.#slicer.pause();
    }
    for (let o = 0; o < tx.outputCount; o++) {
      const script = tx.outputScript(o);
      if (this.#wanted.has(script)) {
        this.#addEntry(
          'receive',
          { value: tx.outputValue(o), script },
          { ...place, txid: hashHex(tx.txid), vout: o, output_spk: this.#shown(script) },
        );
      }
      if (this.#slicer.due) await this.#slicer.pause();
    }
  }

  #shown(script: Uint8Array): JsonResult {
    return scriptMembers(script, renderContext(this.#ctx), true);
  }

  #addEntry(type: string, { value }: Spent, members: Record<string, JsonResult | undefined>): void {
    this.#pieces.add(encodeJson({ type, amount: new Amount(value), ...members }));
  }
}

/** Returns the distinct blocks of a list, by height. */
async function blocksOf({ chain }: NodeContext, hashes: readonly JsonValue[], slicer: Slicer): Promise<HeaderInfo[]> {
  const byHeight = new Map<number, HeaderInfo>();
  for (const hash of hashes) {
    const node = chain.node(asHash(hash, 'blockhash')) ?? notFound();
    if (!chain.contains(node)) fail(RPC_CODE.INVALID_PARAMETER, 'Block is not in main chain');
    byHeight.set(node.height, node);
    if (slicer.due) await slicer.pause();
  }
  return sortInSlices([...byHeight.values()], (a, b) => a.height - b.height, slicer);
}

export const getdescriptoractivity: NodeRun<typeof spec> = async (params, ctx, call) => {
  const nodes = await blocksOf(ctx, params.blockhashes, new Slicer(call.yieldToUrgent));
  const stopped = (): boolean => ctx.stopping.aborted || call.signal?.aborted === true;
  const wanted = await scanScripts(ctx, params.scanobjects, call, stopped);
  const { include_mempool: withPool } = params;
  const activity = new Activity(ctx, wanted, call);
  for (const node of nodes) {
    // Each block is a heavy call of its own, so that other heavy calls can run between two blocks.
    await heavyCall(ctx.heavy, call.signal, async () => {
      const { txs } = await readBlock(ctx, node);
      const undo = await readUndo(ctx, node);
      for (const [i, tx] of txs.entries()) await activity.add(tx, i === 0 ? [] : undo[i - 1], node);
    });
  }
  if (withPool) await addPool(ctx, activity);
  return { activity: activity.text };
};

async function addPool(ctx: NodeContext, activity: Activity): Promise<void> {
  await ctx.mempool.settled();
  const list = await ctx.mempool.snapshot();
  try {
    for (let i = 0; i < list.length; i++) {
      const { tx } = list.at(i);
      const outpoints = Array.from({ length: tx.inputCount }, (_, input) => tx.outpoint(input));
      // An output that is not in the chain belongs to another transaction of the mempool, or that transaction was mined
      // meanwhile.
      const coins: (Spent | undefined)[] = [];
      while (coins.length < outpoints.length) {
        const found = await ctx.coins.coinsAt(outpoints.slice(coins.length, coins.length + COINS_AT_ONCE));
        for (const coin of found) coins.push(coin ?? pooledOutput(ctx, tx, coins.length));
      }
      await activity.add(tx, coins, null);
    }
  } finally {
    list.release();
  }
}

function pooledOutput(ctx: NodeContext, tx: TxView, input: number): Spent | undefined {
  const parent = ctx.mempool.get(tx.prevHash(input))?.tx;
  const index = tx.prevIndex(input);
  if (parent === undefined || index >= parent.outputCount) return undefined;
  return { value: parent.outputValue(index), script: parent.outputScript(index) };
}
