// Front methods that need nothing but the tip's published facts, the clock and their own arguments.

import { asString } from '../args.js';
import { METHODS } from '../declare/methods.js';
import type { MethodSpec } from '../declare/types.js';
import type { Run } from '../dispatch.js';
import { renderHelp, renderOverview } from '../help.js';
import { openRpcDocument } from '../openrpc.js';
import { Double, RawJson } from '../wire/values.js';
import type { FrontContext } from './context.js';

type FrontRun = Run<FrontContext>;

export const getblockcount: FrontRun = (ctx) => ctx.snapshot().height;

export const getbestblockhash: FrontRun = (ctx) => ctx.snapshot().hashHex;

export const getdifficulty: FrontRun = (ctx) => new Double(ctx.snapshot().difficulty);

export const uptime: FrontRun = (ctx) => ctx.nowSeconds() - ctx.startedSeconds;

export const echo: FrontRun = (_ctx, args) => args;

/** An unknown topic is an answer, not an error. */
export const help: FrontRun = (ctx, args) => {
  const isThere = ({ category }: MethodSpec): boolean => ctx.wallets || category !== 'wallet';
  const topic = args.length === 0 ? '' : asString(args[0]);
  if (topic === '') return renderOverview([...METHODS.values()].filter(isThere));
  const spec = METHODS.get(topic);
  return spec && isThere(spec) ? renderHelp(spec) : `help: unknown command: ${topic}`;
};

let document: RawJson | undefined;

/** Made once per thread, when somebody asks. */
export const discover: FrontRun = () => {
  document ??= new RawJson(JSON.stringify(openRpcDocument(METHODS.values())));
  return document;
};
