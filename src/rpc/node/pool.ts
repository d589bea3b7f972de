// The pool in figures and entries: getrawmempool, getmempoolinfo, getmempoolentry, ancestors and descendants. Lists of entries
// are rendered in slices over a list of ids that was made at once.
import { asBool, asHash } from '../args.js';
import type { Run } from '../dispatch.js';
import { fail, RPC_CODE } from '../errors.js';
import { hashHex } from '../render/hex.js';
import { encodeJson, encodeString } from '../wire/json-write.js';
import { Amount, type JsonResult, type JsonValue, RawJson } from '../wire/values.js';
import type { NodeContext, PoolEntry } from './context.js';
import { mapSliced } from './slices.js';

type NodeRun = Run<NodeContext>;

const flag = (value: JsonValue | undefined): boolean => (value ?? null) !== null && asBool(value);

const byBytes = (a: Uint8Array, b: Uint8Array): number => Buffer.compare(a, b);

/** An entry as an object, members in Core 0.21's order. */
function entryObject(entry: PoolEntry): Record<string, JsonResult> {
  return {
    fees: {
      base: new Amount(entry.fee),
      modified: new Amount(entry.modifiedFee),
      ancestor: new Amount(entry.ancestorFees),
      descendant: new Amount(entry.descendantFees),
    },
    vsize: entry.vsize,
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
    wtxid: hashHex(entry.tx.wtxid),
    depends: entry.parents.map(hashHex).sort(),
    spentby: [...entry.children].sort(byBytes).map(hashHex),
    'bip125-replaceable': entry.replaceable,
    unbroadcast: entry.unbroadcast,
  };
}

/** An object of entries by txid; those that left meanwhile are not in it. */
async function entriesObject(ctx: NodeContext, txids: readonly Uint8Array[]): Promise<RawJson> {
  const parts = await mapSliced(txids, (txid) => {
    const entry = ctx.mempool.get(txid);
    return entry ? `${encodeString(hashHex(txid))}:${encodeJson(entryObject(entry))}` : '';
  });
  return new RawJson(`{${parts.filter((part) => part !== '').join(',')}}`);
}

export const getrawmempool: NodeRun = (ctx, args) => {
  const verbose = flag(args[0]);
  const withSequence = flag(args[1]);
  if (verbose) {
    if (withSequence) fail(RPC_CODE.INVALID_PARAMETER, 'Verbose results cannot contain mempool sequence values.');
    return entriesObject(ctx, ctx.mempool.txids());
  }
  const sequence = ctx.mempool.sequence();
  const txids = ctx.mempool.txids().map(hashHex);
  return withSequence ? { txids, mempool_sequence: sequence } : txids;
};

export const getmempoolinfo: NodeRun = (ctx) => {
  const info = ctx.mempool.info();
  return {
    loaded: info.loaded,
    size: info.size,
    bytes: info.bytes,
    usage: info.usage,
    maxmempool: info.maxBytes,
    mempoolminfee: new Amount(Math.max(info.minFeeRate, info.minRelayFeeRate)),
    minrelaytxfee: new Amount(info.minRelayFeeRate),
    unbroadcastcount: info.unbroadcastCount,
  };
};

function entryOf(ctx: NodeContext, txid: Uint8Array): PoolEntry {
  return ctx.mempool.get(txid) ?? fail(RPC_CODE.INVALID_ADDRESS_OR_KEY, 'Transaction not in mempool');
}

export const getmempoolentry: NodeRun = (ctx, args) => entryObject(entryOf(ctx, asHash(args[0], 'parameter 1')));

/** Relatives of a transaction, in the order of their ids' bytes. */
function relatives(list: (ctx: NodeContext, txid: Uint8Array) => Uint8Array[]): NodeRun {
  return (ctx, args) => {
    const verbose = flag(args[1]);
    const txid = asHash(args[0], 'parameter 1');
    entryOf(ctx, txid);
    const txids = list(ctx, txid).sort(byBytes);
    return verbose ? entriesObject(ctx, txids) : txids.map(hashHex);
  };
}

export const getmempoolancestors: NodeRun = relatives((ctx, txid) => ctx.mempool.ancestors(txid));

export const getmempooldescendants: NodeRun = relatives((ctx, txid) => ctx.mempool.descendants(txid));
