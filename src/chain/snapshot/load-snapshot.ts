// Loads the coins of a snapshot file into the unused set of coins, in parts, while the node runs. Then compares their
// hash with the network's parameters. The coins are used only if the hash is right (Core's
// PopulateAndValidateSnapshot).

import { hashToHex } from '../../consensus/bytes/hex.js';
import type { AssumedCoins } from '../../consensus/params/chain-params.js';
import { durationText, ProgressMeter, percentText } from '../../lib/progress.js';
import { yieldToLoop } from '../../lib/time-slice.js';
import { encodeCoin } from '../../storage/codec/coin.js';
import { coinSetsOp } from '../../storage/codec/coin-sets.js';
import { type CoinSpace, otherCoins } from '../../storage/layout.js';
import type { BatchOp } from '../../storage/store.js';
import { hashCoins } from '../coins/coins-stats.js';
import type { ChainWorkspace } from '../connect/workspace.js';
import { SnapshotError, type SnapshotFile, type SnapshotHead } from './snapshot-file.js';

/** Interval between log lines in milliseconds. */
const REPORT_MS = 10_000;

/**
 * Returns the network's assumeutxo data for a block.
 * @param base internal order
 */
export function assumedCoinsOf({ params }: Pick<ChainWorkspace, 'params'>, base: Uint8Array): AssumedCoins | undefined {
  const hex = hashToHex(base);
  return params.assumedCoins.find(({ blockHash }) => blockHash === hex);
}

/**
 * Fills the unused set of coins from a file. After a failure, deletes the coins again.
 * @returns the set of coins
 * @throws SnapshotError, StoreError
 */
export async function loadCoins(ws: ChainWorkspace, file: SnapshotFile, head: SnapshotHead, expected: AssumedCoins): Promise<CoinSpace> {
  const space = otherCoins(ws.space);
  // Mark the set as incomplete before loading. If the process dies, the next start deletes the set.
  await ws.store.batch([coinSetsOp({ active: ws.space, other: 'rubbish' })], { sync: true });
  try {
    await ws.store.clear(space.coins.gte, space.coins.lt);
    await fillCoins(ws, space, file, head, expected);
    await checkCoins(ws, space, head, expected);
    return space;
  } catch (error) {
    await clearOther(ws);
    throw error;
  }
}

async function fillCoins(
  ws: ChainWorkspace,
  space: CoinSpace,
  file: SnapshotFile,
  head: SnapshotHead,
  { height }: AssumedCoins,
): Promise<void> {
  const { store, log, options, clock } = ws;
  log.info(`[snapshot] loading ${head.coins} coins from snapshot ${hashToHex(head.base)}`);
  const report = reporter(ws, head.coins, 'coins loaded');
  const begin = clock.monotonicMs();
  for (;;) {
    const coins = await file.next(head, height, options.flushChunkEntries);
    if (coins.length === 0) break;
    await store.batch(coins.map(({ outpoint, coin }): BatchOp => ({ type: 'put', key: space.key(outpoint), value: encodeCoin(coin) })));
    if (!report(coins.length)) throw interrupted();
    await yieldToLoop();
  }
  log.info(
    `[snapshot] loaded ${head.coins} coins from snapshot ${hashToHex(head.base)} in ${durationText((clock.monotonicMs() - begin) / 1000)}`,
  );
}

async function checkCoins(ws: ChainWorkspace, space: CoinSpace, head: SnapshotHead, { coinsHash }: AssumedCoins): Promise<void> {
  const hash = await hashCoins(ws.store.cursor(space.coins), ws.crypto, reporter(ws, head.coins, 'coins checked'));
  if (hash === null) throw interrupted();
  const found = hashToHex(hash);
  if (found !== coinsHash) throw new SnapshotError('coins', `Bad snapshot content hash: expected ${coinsHash}, got ${found}`);
}

/** Returns a function that counts coins and logs the progress. That function returns false once the node stops. */
export function reporter(
  { log, clock, stopping }: Pick<ChainWorkspace, 'log' | 'clock' | 'stopping'>,
  goal: number | null,
  what: string,
): (coins: number) => boolean {
  const meter = new ProgressMeter(() => clock.monotonicMs(), 0, REPORT_MS);
  let done = 0;
  return (coins) => {
    done += coins;
    if (meter.shouldReport()) {
      const rest = goal === null ? '' : ` (${percentText(done, goal)}), ${durationText(meter.secondsLeft(done, goal))} left`;
      log.info(`[snapshot] ${done} ${what}, ${meter.rate(done).toFixed(0)} a second${rest}`);
    }
    return !stopping();
  };
}

const interrupted = (): SnapshotError => new SnapshotError('coins', 'Aborting after an interrupt was requested');

/** Deletes the unused set of coins, which a failed load or a finished validation has left. */
export async function clearOther({ store, space }: Pick<ChainWorkspace, 'store' | 'space'>): Promise<void> {
  const other = otherCoins(space);
  await store.clear(other.coins.gte, other.coins.lt);
  await store.clear(other.rollbacks.gte, other.rollbacks.lt);
  await store.batch(
    [{ type: 'del', key: other.tipKey }, { type: 'del', key: other.flushMarkerKey }, coinSetsOp({ active: space, other: 'empty' })],
    { sync: true },
  );
}
