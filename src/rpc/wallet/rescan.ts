// Shared by abortrescan, rescanblockchain, and methods that import.
import { type RescanDeps, reacceptTransactions, rescanFrom, type Wallet } from '../../wallet/index.js';
import type { WalletContext } from '../context/wallet.js';
import { fail, RPC_CODE } from '../errors.js';
import { managerOf } from './select.js';

export const scanDeps = (ctx: WalletContext): RescanDeps => managerOf(ctx).scanner.deps;

/** Reserves the wallet for a scan, until WalletScanner.endScan. @throws RpcError if another scan runs */
export function reserveRescan(ctx: WalletContext, wallet: Wallet): void {
  if (!wallet.scans.reserve(ctx.clock.monotonicMs())) {
    fail(RPC_CODE.WALLET_ERROR, 'Wallet is currently rescanning. Abort existing rescan or wait.');
  }
}

/**
 * Scans for payments to imported scripts, and then submits the wallet's pending transactions to the mempool again.
 * @returns see rescanFrom
 * @throws RpcError if the scan was aborted
 */
export async function scanImported(ctx: WalletContext, wallet: Wallet, seconds: number): Promise<number> {
  managerOf(ctx).logOperation(
    wallet.name,
    `is scanned for payments to imported scripts, from ${new Date(Math.max(seconds, 1) * 1000).toISOString()} on`,
  );
  const scannedTo = await rescanFrom(wallet, seconds, true, scanDeps(ctx));
  if (ctx.spend) await reacceptTransactions(wallet, ctx.spend);
  failIfAborted(wallet);
  return scannedTo;
}

export function failIfAborted(wallet: Wallet): void {
  if (wallet.scans.running?.isAborted) fail(RPC_CODE.MISC_ERROR, 'Rescan aborted by user.');
}

/** Throws if blocks were pruned, so that a scan from the genesis block is not possible. @throws RpcError */
export async function refuseScanOfPruned({ client }: WalletContext, what = 'Rescan is disabled when blocks are pruned'): Promise<void> {
  if ((await client.stored()).havePruned) fail(RPC_CODE.WALLET_ERROR, what);
}
