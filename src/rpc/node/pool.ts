// The pool in figures and entries: getrawmempool, getmempoolinfo, getmempoolentry, ancestors and descendants, savemempool,
// getprioritisedtransactions. Lists of entries are rendered in slices over a list of ids that was made at once.
import { asBool, asHash } from '../args.js';
import type { Run } from '../dispatch.js';
import { fail, RPC_CODE } from '../errors.js';
import { hashHex } from '../render/hex.js';
import { encodeJson, encodeString } from '../wire/json-write.js';
import { Pieces } from '../wire/pieces.js';
import { Amount, type JsonResult, type JsonValue, RawJson } from '../wire/values.js';
import type { NodeContext, PoolEntry, PoolList } from './context.js';
import { Slicer } from './slices.js';

type NodeRun = Run<NodeContext>;

const flag = (value: JsonValue | undefined): boolean => (value ?? null) !== null && asBool(value);

const byTxid = (a: PoolEntry, b: PoolEntry): number => Buffer.compare(a.txid, b.txid);

/** BIP-0125: it or an unconfirmed ancestor signals. */
const isReplaceable = (ctx: NodeContext, entry: PoolEntry): boolean =>
  entry.signalsReplacement || (entry.ancestorCount > 1 && ctx.mempool.ancestors(entry).some((ancestor) => ancestor.signalsReplacement));

/** An entry as an object, members in Core 0.21's order. */
function entryObject(ctx: NodeContext, entry: PoolEntry): Record<string, JsonResult> {
  return {
    fees: {
      base: new Amount(entry.fee),
      modified: new Amount(entry.modifiedFee),
      ancestor: new Amount(entry.ancestorFees),
      descendant: new Amount(entry.descendantFees),
    },
    vsize: entry.size,
    weight: entry.weight,
    fee: new Amount(entry.fee),
    modifiedfee: new Amount(entry.modifiedFee),
    time: entry.time,
    height: entry.height,
    descendantcount: entry.descendantCount,
    descendantsize: entry.descendantSize,
    descendantfees: entry.descendantFees,
    ancestorcount: entry.ancestorCount,
    ancestorsize: entry.ancestorSize,
    ancestorfees: entry.ancestorFees,
    wtxid: hashHex(entry.wtxid),
    depends: Array.from(entry.parents, ({ txid }) => hashHex(txid)).sort(),
    spentby: [...entry.children].sort(byTxid).map(({ txid }) => hashHex(txid)),
    'bip125-replaceable': isReplaceable(ctx, entry),
    unbroadcast: entry.unbroadcast,
  };
}

/** Shows every entry of a list in turn, in slices, and releases the list. */
async function showAll(list: PoolList, show: (entry: PoolEntry) => void, breathe?: () => unknown): Promise<void> {
  const slicer = new Slicer(breathe);
  try {
    for (let i = 0; i < list.length; i++) {
      show(list.at(i));
      if (slicer.due) await slicer.pause();
    }
  } finally {
    list.release();
  }
}

/** An object of entries by txid, in the order given. */
async function entriesObject(ctx: NodeContext, list: PoolList, breathe?: () => unknown): Promise<RawJson> {
  const pieces = new Pieces(',');
  await showAll(list, (entry) => pieces.add(`${encodeString(hashHex(entry.txid))}:${encodeJson(entryObject(ctx, entry))}`), breathe);
  return new RawJson(`{${pieces.text()}}`);
}

async function idsOf(list: PoolList, breathe?: () => unknown): Promise<string[]> {
  const ids: string[] = [];
  await showAll(list, ({ txid }) => ids.push(hashHex(txid)), breathe);
  return ids;
}

export const getrawmempool: NodeRun = async (ctx, args, call) => {
  const verbose = flag(args[0]);
  const withSequence = flag(args[1]);
  await ctx.mempool.settled();
  if (verbose) {
    if (withSequence) fail(RPC_CODE.INVALID_PARAMETER, 'Verbose results cannot contain mempool sequence values.');
    return ctx.heavy.pass(call.signal, async () => entriesObject(ctx, await ctx.mempool.snapshot(call.breathe), call.breathe));
  }
  const { sequence } = ctx.mempool;
  const txids = await idsOf(await ctx.mempool.snapshot(call.breathe), call.breathe);
  return withSequence ? { txids, mempool_sequence: sequence } : txids;
};

export const getmempoolinfo: NodeRun = async (ctx) => {
  await ctx.mempool.settled();
  const stats = ctx.mempool.stats();
  return {
    loaded: ctx.mempool.loaded,
    size: stats.transactions,
    bytes: stats.bytes,
    usage: stats.usageBytes,
    total_fee: new Amount(stats.totalFees),
    maxmempool: stats.maxUsageBytes,
    mempoolminfee: new Amount(stats.minFeeRate),
    minrelaytxfee: new Amount(stats.minRelayFeeRate),
    incrementalrelayfee: new Amount(stats.incrementalFeeRate),
    unbroadcastcount: stats.unbroadcast,
    permitbaremultisig: stats.permitBareMultisig,
    maxdatacarriersize: stats.dataCarrierBytes,
    limitclustercount: Number.isFinite(stats.limitClusterCount) ? stats.limitClusterCount : undefined,
    limitclustersize: Number.isFinite(stats.limitClusterSize) ? stats.limitClusterSize : undefined,
  };
};

function entryOf(ctx: NodeContext, txid: Uint8Array): PoolEntry {
  return ctx.mempool.get(txid) ?? fail(RPC_CODE.INVALID_ADDRESS_OR_KEY, 'Transaction not in mempool');
}

export const getmempoolentry: NodeRun = async (ctx, args) => {
  const txid = asHash(args[0], 'parameter 1');
  await ctx.mempool.settled();
  return entryObject(ctx, entryOf(ctx, txid));
};

/** Relatives of a transaction, in the order of their ids' bytes. */
function relatives(list: (ctx: NodeContext, entry: PoolEntry) => readonly PoolEntry[]): NodeRun {
  return async (ctx, args, call) => {
    const verbose = flag(args[1]);
    const txid = asHash(args[0], 'parameter 1');
    await ctx.mempool.settled();
    const found = ctx.mempool.hold(list(ctx, entryOf(ctx, txid)));
    return verbose ? entriesObject(ctx, found, call.breathe) : idsOf(found, call.breathe);
  };
}

export const getmempoolancestors: NodeRun = relatives((ctx, entry) => ctx.mempool.ancestors(entry));

export const getmempooldescendants: NodeRun = relatives((ctx, entry) => ctx.mempool.descendants(entry));

export const savemempool: NodeRun = async (ctx) => {
  if (!ctx.mempool.loaded) fail(RPC_CODE.MISC_ERROR, 'The mempool was not loaded yet');
  await ctx.mempool.settled();
  await ctx.savePool().catch(() => fail(RPC_CODE.MISC_ERROR, 'Unable to dump mempool to disk'));
  return null;
};

export const getprioritisedtransactions: NodeRun = (ctx) =>
  Object.fromEntries(
    ctx.mempool.prioritised().map(({ txid, delta, entry }) => [
      hashHex(txid),
      {
        fee_delta: delta,
        in_mempool: entry !== undefined,
        modified_fee: entry?.modifiedFee,
      },
    ]),
  );
