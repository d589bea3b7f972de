// The pool in figures and entries: getrawmempool, getmempoolinfo, getmempoolentry, ancestors and descendants,
// savemempool, getprioritisedtransactions. Lists of entries are rendered in slices over a list of ids that was made at
// once.

import type { TxView } from '../../consensus/tx/tx-view.js';
import { follows, only, shows } from '../../policy/compat.js';
import { compareFeeFractions } from '../../selection/cluster/fee-fraction.js';
import { asArray, asBool, asHash, asInt, asObject, asString, checkMembers } from '../args.js';
import { ENTRY_MEMBERS } from '../declare/members.js';
import { objectShaper } from '../declare/versions.js';
import type { Run } from '../dispatch.js';
import { fail, RPC_CODE } from '../errors.js';
import { hashHex } from '../render/hex.js';
import { txHex } from '../render/tx.js';
import { encodeJson, encodeString } from '../wire/json-write.js';
import { Pieces } from '../wire/pieces.js';
import { Amount, JsonObject, type JsonResult, type JsonValue, RawJson } from '../wire/values.js';
import type { NodeContext, PoolEntry, PoolList } from './context.js';
import { heavyCall } from './heavy-call.js';
import { outpointOf } from './lookup.js';
import { Slicer } from './slices.js';

type NodeRun = Run<NodeContext>;

const flag = (value: JsonValue | undefined): boolean => (value ?? null) !== null && asBool(value);

const byTxid = (a: PoolEntry, b: PoolEntry): number => Buffer.compare(a.txid, b.txid);

/** BIP-0125: it or an unconfirmed ancestor signals. */
const isReplaceable = (ctx: NodeContext, entry: PoolEntry): boolean =>
  entry.signalsReplacement || (entry.ancestorCount > 1 && ctx.mempool.ancestors(entry).some((ancestor) => ancestor.signalsReplacement));

/** What an entry is mined with. Asked for where newer releases alone count: it is work for every entry. */
function chunkOf(ctx: NodeContext, entry: PoolEntry): { readonly fee: number; readonly weight: number } | undefined {
  if (!only(ctx.compat, 31)) return undefined;
  return ctx.mempool.cluster(entry).find(({ entries }) => entries.some(({ txid }) => Buffer.compare(txid, entry.txid) === 0));
}

/** An entry as an object. */
function entryObject(ctx: NodeContext, entry: PoolEntry): JsonResult {
  const members = entryMembers(ctx, entry);
  return objectShaper(ENTRY_MEMBERS, ctx.compat)?.(members) ?? members;
}

/** Every member that any release has, in the order of 0.21. */
function entryMembers(ctx: NodeContext, entry: PoolEntry): Record<string, JsonResult> {
  const chunk = chunkOf(ctx, entry);
  return {
    fees: {
      base: new Amount(entry.fee),
      modified: new Amount(entry.modifiedFee),
      ancestor: new Amount(entry.ancestorFees),
      descendant: new Amount(entry.descendantFees),
      ...(chunk ? { chunk: new Amount(chunk.fee) } : {}),
    },
    vsize_adjusted: entry.size,
    vsize: entry.size,
    vsize_bip141: Math.ceil(entry.weight / 4),
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
    ...(chunk ? { chunkweight: chunk.weight } : {}),
    depends: Array.from(entry.parents, ({ txid }) => hashHex(txid)).sort(),
    spentby: [...entry.children].sort(byTxid).map(({ txid }) => hashHex(txid)),
    ...(shows(ctx.compat, { until: 32 }) || ctx.deprecated.has('bip125') ? { 'bip125-replaceable': isReplaceable(ctx, entry) } : {}),
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
    return heavyCall(ctx.heavy, call.signal, async () => entriesObject(ctx, await ctx.mempool.snapshot(call.breathe), call.breathe));
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
    optimal: ctx.templates.isOptimal(),
    fullrbf: ctx.deprecated.has('fullrbf') ? true : undefined,
  };
};

function entryOf(ctx: NodeContext, txid: Uint8Array): PoolEntry {
  return ctx.mempool.get(txid) ?? fail(RPC_CODE.INVALID_ADDRESS_OR_KEY, 'Transaction not in mempool');
}

/** What the argument is called in messages. */
const idName = ({ compat }: NodeContext): string => (only(compat, 31) ? 'txid' : 'parameter 1');

export const getmempoolentry: NodeRun = async (ctx, args) => {
  const txid = asHash(args[0], idName(ctx));
  await ctx.mempool.settled();
  return entryObject(ctx, entryOf(ctx, txid));
};

/** Relatives of a transaction, in the order of their ids' bytes. */
function relatives(list: (ctx: NodeContext, entry: PoolEntry) => readonly PoolEntry[]): NodeRun {
  return async (ctx, args, call) => {
    const verbose = flag(args[1]);
    const txid = asHash(args[0], idName(ctx));
    await ctx.mempool.settled();
    const found = ctx.mempool.hold(list(ctx, entryOf(ctx, txid)));
    return verbose ? entriesObject(ctx, found, call.breathe) : idsOf(found, call.breathe);
  };
}

export const getmempoolancestors: NodeRun = relatives((ctx, entry) => ctx.mempool.ancestors(entry));

export const getmempooldescendants: NodeRun = relatives((ctx, entry) => ctx.mempool.descendants(entry));

export const getmempoolcluster: NodeRun = async (ctx, args) => {
  const txid = asHash(args[0], 'txid');
  await ctx.mempool.settled();
  const chunks = ctx.mempool.cluster(entryOf(ctx, txid));
  return {
    clusterweight: chunks.reduce((sum, { weight }) => sum + weight, 0),
    txcount: chunks.reduce((sum, { entries }) => sum + entries.length, 0),
    chunks: chunks.map(({ fee, weight, entries }) => ({
      chunkfee: new Amount(fee),
      chunkweight: weight,
      txs: entries.map(({ txid: id }) => hashHex(id)),
    })),
  };
};

/** Sums over all chunks of the pool, best first. */
export const getmempoolfeeratediagram: NodeRun = async (ctx, _args, call) => {
  await ctx.mempool.settled();
  const list = await ctx.mempool.snapshot(call.breathe);
  const seen = new Set<string>();
  const chunks: { fee: number; weight: number }[] = [];
  await showAll(
    list,
    (entry) => {
      if (seen.has(hashHex(entry.txid)) || ctx.mempool.get(entry.txid) === undefined) return;
      for (const { fee, weight, entries } of ctx.mempool.cluster(entry)) {
        for (const { txid } of entries) seen.add(hashHex(txid));
        chunks.push({ fee, weight });
      }
    },
    call.breathe,
  );
  chunks.sort((a, b) => compareFeeFractions(b.fee, b.weight, a.fee, a.weight));
  let [fee, weight] = [0, 0];
  const points = chunks.map((chunk) => ({ weight: (weight += chunk.weight), fee: new Amount((fee += chunk.fee)) }));
  return [{ weight: 0, fee: new Amount(0) }, ...points];
};

/** Who in the pool spends outputs. */
export const gettxspendingprevout: NodeRun = async (ctx, args) => {
  const outputs = asArray(args[0]);
  if (outputs.length === 0) fail(RPC_CODE.INVALID_PARAMETER, 'Invalid parameter, outputs are missing');
  const options = (args[1] ?? null) === null ? undefined : asObject(args[1]);
  if (options) checkMembers(options, { mempool_only: 'bool', return_spending_tx: 'bool' }, { allowNull: true, strict: true });
  const index = ctx.spenderIndex;
  const poolOnly = options?.has('mempool_only') ? asBool(options.get('mempool_only')) : index === null;
  const whole = options?.has('return_spending_tx') === true && asBool(options.get('return_spending_tx'));
  const wanted = outputs.map((output) => {
    const object = asObject(output);
    checkMembers(object, { txid: 'string', vout: 'number' }, { strict: true });
    const txid = asHash(object.get('txid'), 'txid');
    const vout = asInt(object.get('vout'));
    if (vout < 0) fail(RPC_CODE.INVALID_PARAMETER, 'Invalid parameter, vout cannot be negative');
    return { object, outpoint: outpointOf(txid, vout) };
  });
  await ctx.mempool.settled();
  const spentBy = (tx: TxView): Record<string, JsonResult> => ({
    spendingtxid: hashHex(tx.txid),
    ...(whole ? { spendingtx: txHex(tx) } : {}),
  });
  const results = wanted.map(({ object, outpoint }) => {
    const spender = ctx.mempool.spender(outpoint);
    const asked: Record<string, JsonResult> = Object.fromEntries(object.keys.map((key, i) => [key, object.values[i] as JsonResult]));
    return { outpoint, found: spender !== undefined, shown: spender === undefined ? asked : { ...asked, ...spentBy(spender.tx) } };
  });
  const open = poolOnly ? [] : results.filter(({ found }) => !found);
  if (open.length > 0 && (index === null || !(await index.synced()))) {
    fail(RPC_CODE.MISC_ERROR, 'Mempool lacks a relevant spend, and txospenderindex is unavailable.');
  }
  for (const result of open) {
    const found = await index?.find(result.outpoint);
    if (found) result.shown = { ...result.shown, ...spentBy(found.tx), blockhash: hashHex(found.blockHash) };
  }
  return results.map(({ shown }) => shown);
};

export const savemempool: NodeRun = async (ctx) => {
  if (!ctx.mempool.loaded) fail(RPC_CODE.MISC_ERROR, 'The mempool was not loaded yet');
  await ctx.mempool.settled();
  const filename = await ctx.savePool().catch(() => fail(RPC_CODE.MISC_ERROR, 'Unable to dump mempool to disk'));
  return follows(ctx.compat, 23) ? { filename } : null;
};

export const importmempool: NodeRun = async (ctx, args) => {
  const file = asString(args[0]);
  const options = (args[1] ?? null) === null ? new JsonObject([], []) : asObject(args[1]);
  if (ctx.chain.isInitialBlockDownload()) {
    fail(RPC_CODE.CLIENT_IN_INITIAL_DOWNLOAD, 'Can only import the mempool after the block download and sync is done.');
  }
  const option = (name: string, byDefault: boolean): boolean => {
    const value = options.get(name) ?? null;
    return value === null ? byDefault : asBool(value);
  };
  const read = await ctx.importPool(file, {
    currentTime: option('use_current_time', true),
    feeDeltas: option('apply_fee_delta_priority', false),
    unbroadcast: option('apply_unbroadcast_set', false),
  });
  if (!read) fail(RPC_CODE.MISC_ERROR, 'Unable to import mempool file, see debug log for details.');
  return {};
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
