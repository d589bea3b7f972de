// Figures of all coins of a chain in this process, as gettxoutsetinfo computes them.
import type { Chain } from '../../src/chain/chain.js';
import { sumCoins } from '../../src/chain/coins/coins-stats.js';
import { crypto } from './chain-fixture.js';

/** @param stopping absent: the walk is never stopped */
export async function coinsStats(
  { coins }: Chain,
  { hashSerialized, muhash = false }: { hashSerialized: 2 | 3 | null; muhash?: boolean },
  stopping: () => boolean = () => false,
) {
  const { tip, cursor } = await coins.pin((pinned) => ({ tip: pinned.tip, cursor: pinned.cursor() }));
  return sumCoins(cursor, tip, { hashes: crypto, serialized: hashSerialized, muhash }, stopping);
}
