// What echo, getbestblockhash, getblockcount, getdifficulty, getopenrpcinfo, help, rpc.discover and uptime share.
import { methodsOf } from '../declare/methods.js';
import { openRpcDocument } from '../openrpc.js';
import { RawJson } from '../wire/values.js';
import type { FrontContext } from './context.js';

const documents = new WeakMap<FrontContext, Map<boolean, RawJson>>();

/** The document with or without hidden methods; made once per thread, when a client asks. */
export function documentOf(ctx: FrontContext, hidden: boolean): RawJson {
  const made = documents.get(ctx) ?? new Map<boolean, RawJson>();
  documents.set(ctx, made);
  let document = made.get(hidden);
  if (document === undefined) {
    const methods = [...methodsOf(ctx.wallets, ctx.compat).values()].filter(({ category }) => hidden || category !== 'hidden');
    made.set(hidden, (document = new RawJson(JSON.stringify(openRpcDocument(methods, ctx.compat)))));
  }
  return document;
}
