// Run functions of the node thread: its own, those of fronts (for mixed batches), and those that pass calls of wallets
// on.

import type { NodeContext } from '../context/node.js';
import { methodsOf } from '../declare/methods.js';
import type { Run, RunTable } from '../dispatch.js';
import type { FrontContext } from '../front/context.js';
import * as FRONT_RUNS from '../methods/front-runs.js';
import * as OWN_RUNS from '../methods/node-runs.js';
import { DECODE_METHODS, PendingRead } from '../reads/read-job.js';
import { difficultyOf } from '../render/difficulty.js';
import { encodeJson } from '../wire/json-write.js';
import { PASSED_RUNS } from './pass-on.js';

/** Returns a front's context that always has the node's current state. */
function frontContextOf(ctx: NodeContext): FrontContext {
  return {
    compat: ctx.compat,
    params: ctx.params,
    hashes: ctx.crypto,
    crypto: ctx.crypto,
    descriptors: ctx.descriptors,
    startedSeconds: ctx.startedSeconds,
    methods: methodsOf(ctx.passOn !== null, ctx.compat),
    nowSeconds: () => ctx.clock.nowSeconds(),
    warmup: () => null,
    stateVersion: () => 0,
    blocksVersion: () => 0,
    snapshot: () => {
      const { height, hashHex, bits } = ctx.chain.tip;
      return { height, hashHex, difficulty: difficultyOf(bits) };
    },
  };
}

/** Number of characters from which another thread decodes the arguments. */
const LONG_CHARS = 16 * 1024;

/** Returns the run functions of fronts. Calls with long arguments become decode jobs. */
function fromFront(): Record<string, Run<NodeContext>> {
  const runs: Record<string, Run<NodeContext>> = {};
  for (const [name, run] of Object.entries(FRONT_RUNS)) {
    runs[name] = (params, ctx, call) => (run as Run<FrontContext>)(params, frontContextOf(ctx), call);
  }
  for (const method of DECODE_METHODS) {
    const atOnce = runs[method];
    runs[method] = (params, ctx, call) => {
      const args = encodeJson(params.args);
      return args.length < LONG_CHARS ? atOnce(params, ctx, call) : new PendingRead({ kind: 'decode', method, args });
    };
  }
  return runs;
}

/** Run functions by method name. */
export const NODE_RUNS: RunTable<NodeContext> = { ...fromFront(), ...PASSED_RUNS, ...OWN_RUNS };
