// Lets the node thread run methods of fronts, in batches and for callers without a front.

import type { NodeContext } from '../context/node.js';
import type { FrontContext } from '../front/context.js';
import { difficultyOf } from '../render/difficulty.js';

/** Returns a front's context that always has the node's current state. */
export function frontContextOf(ctx: NodeContext): FrontContext {
  return {
    compat: ctx.compat,
    params: ctx.params,
    hashes: ctx.crypto,
    descriptors: ctx.descriptors,
    startedSeconds: ctx.startedSeconds,
    wallets: ctx.passOn !== null,
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
