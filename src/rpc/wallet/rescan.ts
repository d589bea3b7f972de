// Shared by abortrescan, rescanblockchain, and methods that import.
import { type RescanDeps, rescanFrom, reserveScan } from '../../wallet/follow/rescan.js';
import { reacceptTransactions } from '../../wallet/spend/resend.js';
import type { Wallet } from '../../wallet/wallet.js';
import type { WalletContext } from '../context/wallet.js';
import { fail, RPC_CODE } from '../errors.js';
import { managerOf } from './select.js';

export const scanDeps = (ctx: WalletContext): RescanDeps => managerOf(ctx).scanDeps();

/** Reserves the wallet for a scan while `work` runs. @throws RpcError if another scan runs */
export async function withRescan<T>(ctx: WalletContext, wallet: Wallet, work: () => Promise<T>): Promise<T> {
  if (!reserveScan(wallet, ctx.clock.monotonicMs())) {
    fail(RPC_CODE.WALLET_ERROR, 'Wallet is currently rescanning. Abort existing rescan or wait.');
  }
  try {
    return await work();
  } finally {
    managerOf(ctx).endScan(wallet);
  }
}

/**
 * Scans for payments to imported scripts, and then submits the wallet's pending transactions to the mempool again.
 * @returns see rescanFrom
 */
export async function scanImported(ctx: WalletContext, wallet: Wallet, seconds: number): Promise<number> {
  managerOf(ctx).logOperation(
    wallet.name,
    `is scanned for payments to imported scripts, from ${new Date(Math.max(seconds, 1) * 1000).toISOString()} on`,
  );
  const scannedTo = await rescanFrom(wallet, seconds, true, scanDeps(ctx));
  if (ctx.spend) await reacceptTransactions(wallet, ctx.spend);
  return scannedTo;
}

/** Throws if blocks were pruned, so that a scan from the genesis block is not possible. @throws RpcError */
export async function refuseScanOfPruned({ client }: WalletContext, what = 'Rescan is disabled when blocks are pruned'): Promise<void> {
  if ((await client.stored()).havePruned) fail(RPC_CODE.WALLET_ERROR, what);
}
