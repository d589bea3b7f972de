// Shared by methods that show the mempool. Lists of entries are rendered in slices, from a list of ids that was created
// at once.

import type { MempoolEntry } from '../../mempool/entry.js';
import { follows, shows } from '../../policy/compat.js';
import { asHash } from '../args.js';
import type { PoolList } from '../context/mempool.js';
import type { NodeContext } from '../context/node.js';
import { ENTRY_MEMBERS } from '../declare/members.js';
import { objectShaper } from '../declare/versions.js';
import type { Run } from '../dispatch.js';
import { fail, RPC_CODE } from '../errors.js';
import { hashHex } from '../render/hex.js';
import { encodeJson, encodeString } from '../wire/json-write.js';
import { Pieces } from '../wire/pieces.js';
import { Amount, type JsonResult, RawJson } from '../wire/values.js';
import { Slicer } from './slices.js';

const byTxid = (a: MempoolEntry, b: MempoolEntry): number => Buffer.compare(a.txid, b.txid);

/** Returns whether the transaction or an unconfirmed ancestor signals replaceability (BIP-0125). */
const isReplaceable = (ctx: NodeContext, entry: MempoolEntry): boolean =>
  entry.signalsReplacement || (entry.ancestorCount > 1 && ctx.mempool.ancestors(entry).some((ancestor) => ancestor.signalsReplacement));

/** Returns the chunk with which a transaction is mined; undefined with -compat=0.21.1, which does not show it. */
function chunkOf(ctx: NodeContext, entry: MempoolEntry): { readonly fee: number; readonly weight: number } | undefined {
  if (!shows(ctx.compat, { since: 31 })) return undefined;
  return ctx.mempool.cluster(entry).find(({ entries }) => entries.some(({ txid }) => Buffer.compare(txid, entry.txid) === 0));
}

/** Returns an entry as an object. */
export function entryObject(ctx: NodeContext, entry: MempoolEntry): JsonResult {
  const members = entryMembers(ctx, entry);
  return objectShaper(ENTRY_MEMBERS, ctx.compat)?.(members) ?? members;
}

/** Returns all members of all releases, in the order of 0.21. */
function entryMembers(ctx: NodeContext, entry: MempoolEntry): Record<string, JsonResult> {
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

/** Calls `show` with every entry of a list, in slices, and releases the list. */
export async function showAll(list: PoolList, show: (entry: MempoolEntry) => void, yieldToUrgent?: () => unknown): Promise<void> {
  const slicer = new Slicer(yieldToUrgent);
  try {
    for (let i = 0; i < list.length; i++) {
      show(list.at(i));
      if (slicer.due) await slicer.pause();
    }
  } finally {
    list.release();
  }
}

/** Returns an object of entries by txid, in the given order. */
export async function entriesObject(ctx: NodeContext, list: PoolList, yieldToUrgent?: () => unknown): Promise<RawJson> {
  const pieces = new Pieces(',');
  await showAll(list, (entry) => pieces.add(`${encodeString(hashHex(entry.txid))}:${encodeJson(entryObject(ctx, entry))}`), yieldToUrgent);
  return new RawJson(`{${pieces.text()}}`);
}

export async function idsOf(list: PoolList, yieldToUrgent?: () => unknown): Promise<string[]> {
  const ids: string[] = [];
  await showAll(list, ({ txid }) => ids.push(hashHex(txid)), yieldToUrgent);
  return ids;
}

export function entryOf(ctx: NodeContext, txid: Uint8Array): MempoolEntry {
  return ctx.mempool.get(txid) ?? fail(RPC_CODE.INVALID_ADDRESS_OR_KEY, 'Transaction not in mempool');
}

/** Returns the name of the txid argument in error messages. */
export const idName = ({ compat }: NodeContext): string => (follows(compat, 31) ? 'txid' : 'parameter 1');

/** Returns a run function for relatives of a transaction, ordered by the bytes of their ids. */
export function relatives(
  list: (ctx: NodeContext, entry: MempoolEntry) => readonly MempoolEntry[],
): Run<NodeContext, { readonly txid: string; readonly verbose: boolean }> {
  return async (params, ctx, call) => {
    const { verbose } = params;
    const txid = asHash(params.txid, idName(ctx));
    await ctx.mempool.settled();
    const found = ctx.mempool.holdEntries(list(ctx, entryOf(ctx, txid)));
    return verbose ? entriesObject(ctx, found, call.yieldToUrgent) : idsOf(found, call.yieldToUrgent);
  };
}
