import type { HeaderInfo } from '../../context/chain.js';
import type { NodeRun } from '../../context/node.js';
import { difficultyOf } from '../../render/difficulty.js';
import { targetHex } from '../../render/header.js';
import { hex32 } from '../../render/hex.js';
import { Double, type JsonResult } from '../../wire/values.js';
import type { getchainstates as spec } from './getchainstates.spec.js';

export const getchainstates: NodeRun<typeof spec> = (_, { chain, coins }) => {
  const { history, snapshot } = chain;
  const state = (tip: HeaderInfo, cacheBytes: number, base: HeaderInfo | null, validated: boolean): JsonResult => ({
    blocks: tip.height,
    bestblockhash: tip.hashHex,
    bits: hex32(tip.bits),
    target: targetHex(tip.bits),
    difficulty: new Double(difficultyOf(tip.bits)),
    verificationprogress: new Double(chain.verificationProgress(tip)),
    coins_db_cache_bytes: 0,
    coins_tip_cache_bytes: cacheBytes,
    snapshot_blockhash: base?.hashHex,
    validated,
  });
  return {
    headers: chain.bestHeader.height,
    chainstates: [
      ...(history === null ? [] : [state(history.tip, history.coinsCacheBytes, null, true)]),
      state(chain.tip, coins.coinsCacheBytes, snapshot?.base ?? null, snapshot?.validated ?? true),
    ],
  };
};
