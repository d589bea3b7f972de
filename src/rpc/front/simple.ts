// Builds the OpenRPC document for getopenrpcinfo and rpc.discover.
import { openRpcDocument } from '../openrpc.js';
import { RawJson } from '../wire/values.js';
import type { FrontContext } from './context.js';

const documents = new WeakMap<FrontContext, Map<boolean, RawJson>>();

/** Returns the document with or without hidden methods. It is built once per thread, at the first request. */
export function documentOf(ctx: FrontContext, hidden: boolean): RawJson {
  const made = documents.get(ctx) ?? new Map<boolean, RawJson>();
  documents.set(ctx, made);
  let document = made.get(hidden);
  if (document === undefined) {
    const methods = [...ctx.methods.values()].filter(({ category }) => hidden || category !== 'hidden');
    made.set(hidden, (document = new RawJson(JSON.stringify(openRpcDocument(methods, ctx.compat)))));
  }
  return document;
}
