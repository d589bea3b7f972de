// What abortrescan and rescanblockchain share. Escanblockchain, abortrescan, and the part that importing calls share.
import { type RescanDeps, rescanFrom, reserve } from '../../wallet/follow/rescan.js';
import { reacceptTransactions } from '../../wallet/spend/resend.js';
import type { Wallet } from '../../wallet/wallet.js';
import type { NodeContext } from '../context/node.js';
import { fail, RPC_CODE } from '../errors.js';
import { managerOf } from './select.js';

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

/** Refuses a scan from the beginning where its blocks are gone. @throws RpcError */
export function refuseScanOfPruned({ chain }: NodeContext, what = 'Rescan is disabled when blocks are pruned'): void {
  if (chain.havePruned) fail(RPC_CODE.WALLET_ERROR, what);
}
