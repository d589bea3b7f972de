// Scans of past blocks over RPC: rescanblockchain, abortrescan, and the part that importing calls share.
import { only } from '../../policy/compat.js';
import { markScan } from '../../wallet/follow/open-scan.js';
import { type RescanDeps, rescanFrom, reserve, scanBlocks } from '../../wallet/follow/rescan.js';
import { reacceptTransactions } from '../../wallet/spend/resend.js';
import type { Wallet } from '../../wallet/wallet.js';
import { asInt } from '../args.js';
import type { Run } from '../dispatch.js';
import { fail, RPC_CODE } from '../errors.js';
import type { NodeContext } from '../node/context.js';
import type { JsonValue } from '../wire/values.js';
import { ensureUnlocked, managerOf, settledWallet, walletOf } from './select.js';

const given = (value: JsonValue | undefined): value is JsonValue => value !== undefined && value !== null;

export const scanDeps = (ctx: NodeContext, wallet: Wallet): RescanDeps => managerOf(ctx).scanDeps(wallet);

/** Holds the wallet for a scan while `work` runs. */
export async function withRescan<T>(ctx: NodeContext, wallet: Wallet, work: () => Promise<T>): Promise<T> {
  if (!reserve(wallet, ctx.clock.monotonicMs())) {
    fail(RPC_CODE.WALLET_ERROR, 'Wallet is currently rescanning. Abort existing rescan or wait.');
  }
  try {
    return await work();
  } finally {
    wallet.scan = null;
  }
}

/**
 * Scans for what was imported; then the wallet's transactions that wait go to the mempool again.
 * @returns as rescanFrom's
 */
export async function scanImported(ctx: NodeContext, wallet: Wallet, seconds: number): Promise<number> {
  const scannedTo = await rescanFrom(wallet, seconds, true, scanDeps(ctx, wallet));
  if (ctx.spend) await reacceptTransactions(wallet, ctx.spend);
  return scannedTo;
}

export const abortrescan: Run<NodeContext> = (ctx, _args, call) => {
  const { scan } = walletOf(ctx, call);
  if (scan === null || scan.abort) return false;
  scan.abort = true;
  return true;
};

/** Whether all blocks of the best chain between two heights are stored. */
function hasBlocks({ chain }: NodeContext, first: number, last: number): boolean {
  if ((!chain.havePruned && chain.history === null) || chain.lowestStored.height <= first) return true;
  for (let height = last; height >= first; height--) {
    const node = chain.atHeight(height);
    if (node === undefined || !chain.hasBlock(node)) return false;
  }
  return true;
}

/** Refuses a scan from the beginning where its blocks are gone. @throws RpcError */
export function refuseScanOfPruned({ chain }: NodeContext, what = 'Rescan is disabled when blocks are pruned'): void {
  if (chain.havePruned) fail(RPC_CODE.WALLET_ERROR, what);
}

export const rescanblockchain: Run<NodeContext> = async (ctx, args, call) => {
  const wallet = await settledWallet(ctx, call);
  // A range that goes on needs keys.
  if (only(ctx.compat, 25)) ensureUnlocked(wallet);
  return withRescan(ctx, wallet, async () => {
    const tip = wallet.tip!.height;
    let start = 0;
    if (given(args[0])) {
      start = asInt(args[0]);
      if (start < 0 || start > tip) fail(RPC_CODE.INVALID_PARAMETER, 'Invalid start_height');
    }
    let stop: number | null = null;
    if (given(args[1])) {
      stop = asInt(args[1]);
      if (stop < 0 || stop > tip) fail(RPC_CODE.INVALID_PARAMETER, 'Invalid stop_height');
      if (stop < start) fail(RPC_CODE.INVALID_PARAMETER, 'stop_height must be greater than start_height');
    }
    // As Core looks: from the wallet's tip, or the height to stop at, down to the first.
    if (!hasBlocks(ctx, start, stop ?? tip)) {
      if (!ctx.chain.havePruned) {
        fail(
          RPC_CODE.MISC_ERROR,
          'Failed to rescan unavailable blocks likely due to an in-progress assumeutxo background sync. Check logs or getchainstates RPC for assumeutxo background sync progress and try again later.',
        );
      }
      fail(RPC_CODE.MISC_ERROR, "Can't rescan beyond pruned data. Use RPC call getblockchaininfo to determine your pruned height.");
    }
    const first = ctx.chain.atHeight(start)!;
    // A process that dies before the scan's own first mark goes on as well.
    await wallet.change((batch) => markScan(start, stop, batch));
    const result = await scanBlocks(wallet, first, stop, true, scanDeps(ctx, wallet));
    if (result.status === 'failure') fail(RPC_CODE.MISC_ERROR, 'Rescan failed. Potentially corrupted data files.');
    if (result.status === 'aborted') fail(RPC_CODE.MISC_ERROR, 'Rescan aborted.');
    return { start_height: start, stop_height: result.lastScanned ? result.lastScanned.height : null };
  });
};
