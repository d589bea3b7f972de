// Shared by methods that show the mempool.
import type { MempoolEntry } from '../../mempool/index.js';
import { follows } from '../../policy/compat.js';
import { asHash } from '../args.js';
import type { NodeContext } from '../context/node.js';
import type { Run } from '../dispatch.js';
import { fail, RPC_CODE } from '../errors.js';

export function entryOf(ctx: NodeContext, txid: Uint8Array): MempoolEntry {
  return ctx.mempool.get(txid) ?? fail(RPC_CODE.INVALID_ADDRESS_OR_KEY, 'Transaction not in mempool');
}

/** Returns the name of the txid argument in error messages. */
export const idName = ({ compat }: NodeContext): string => (follows(compat, 31) ? 'txid' : 'parameter 1');

/** Returns a run function for relatives of a transaction, ordered by the bytes of their ids. */
export function relatives(
  list: (ctx: NodeContext, entry: MempoolEntry) => readonly MempoolEntry[],
): Run<NodeContext, { readonly txid: string; readonly verbose: boolean }> {
  return async (params, ctx) => {
    const { verbose } = params;
    const txid = asHash(params.txid, idName(ctx));
    await ctx.mempool.settled();
    const rows = (): Int32Array => Int32Array.from(list(ctx, entryOf(ctx, txid)), ({ row }) => row);
    return ctx.mempoolTexts.of(verbose ? 'entries' : 'ids', rows);
  };
}
