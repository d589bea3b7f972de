// Front methods that need nothing but the tip's published facts, the clock and their own arguments.

import { follows } from '../../policy/compat.js';
import { asBool, asString } from '../args.js';
import { methodsOf } from '../declare/methods.js';
import type { Run } from '../dispatch.js';
import { renderHelp, renderOverview } from '../help.js';
import { openRpcDocument } from '../openrpc.js';
import { Double, RawJson } from '../wire/values.js';
import type { FrontContext } from './context.js';

type FrontRun = Run<FrontContext>;

export const getblockcount: FrontRun = (ctx) => ctx.snapshot().height;

export const getbestblockhash: FrontRun = (ctx) => ctx.snapshot().hashHex;

export const getdifficulty: FrontRun = (ctx) => new Double(ctx.snapshot().difficulty);

/** By the node's clock, which may be mocked; since release 31 by one that never jumps. */
export const uptime: FrontRun = (ctx) => (follows(ctx.compat, 31) ? Math.floor(process.uptime()) : ctx.nowSeconds() - ctx.startedSeconds);

export const echo: FrontRun = (_ctx, args) => args;

/** An unknown topic is an answer, not an error. */
export const help: FrontRun = (ctx, args) => {
  const methods = methodsOf(ctx.wallets, ctx.compat);
  const topic = args.length === 0 ? '' : asString(args[0]);
  if (topic === '') return renderOverview([...methods.values()]);
  const spec = methods.get(topic);
  return spec ? renderHelp(spec) : `help: unknown command: ${topic}`;
};

const documents = new WeakMap<FrontContext, Map<boolean, RawJson>>();

/** The document with or without hidden methods; made once per thread, when a client asks. */
function documentOf(ctx: FrontContext, hidden: boolean): RawJson {
  const made = documents.get(ctx) ?? new Map<boolean, RawJson>();
  documents.set(ctx, made);
  let document = made.get(hidden);
  if (document === undefined) {
    const methods = [...methodsOf(ctx.wallets, ctx.compat).values()].filter(({ category }) => hidden || category !== 'hidden');
    made.set(hidden, (document = new RawJson(JSON.stringify(openRpcDocument(methods, ctx.compat)))));
  }
  return document;
}

export const discover: FrontRun = (ctx) => documentOf(ctx, true);

export const getopenrpcinfo: FrontRun = (ctx, args) => documentOf(ctx, (args[0] ?? null) !== null && asBool(args[0]));
