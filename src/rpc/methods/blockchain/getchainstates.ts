import type { HeaderInfo } from '../../context/chain.js';
import type { NodeRun } from '../../context/node.js';
import { declare } from '../../declare/parameters.js';
import { arr, bool, hex, num, obj } from '../../declare/parts.js';
import { difficultyOf } from '../../render/difficulty.js';
import { targetHex } from '../../render/header.js';
import { hex32 } from '../../render/hex.js';
import { Double, type JsonResult } from '../../wire/values.js';

export const spec = declare({
  name: 'getchainstates',
  category: 'blockchain',
  runs: 'node',
  repeatable: true,
  since: 26,
  description:
    'Returns the chainstates of the node. There is one, or two after loadtxoutset: the chain above the snapshot,\nand the history below it until that is validated.' +
    'snapshot and the chain above it (loadtxoutset).',
  args: [],
  results: [
    obj([
      num('headers', 'Height of the best header'),
      arr('chainstates', '', [
        obj([
          num('blocks', 'Height of the tip'),
          hex('bestblockhash', 'Its hash'),
          hex('bits', 'Compact target of the tip', { since: 29 }),
          hex('target', 'Target of the tip', { since: 29 }),
          num('difficulty', 'Difficulty of the tip'),
          num('verificationprogress', 'Part of the history that is verified, 0 to 1'),
          hex('snapshot_blockhash?', 'Block of the snapshot from which this chainstate began'),
          num('coins_db_cache_bytes', 'Memory for the database of coins, as far as the next member does not include it'),
          num('coins_tip_cache_bytes', 'Memory for coins and the caches of their database (-dbcache)'),
          bool('validated', 'Whether every block of the chainstate was validated'),
        ]),
      ]),
    ]),
  ],
  examples: [{ cli: '', rpc: '' }],
});

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
