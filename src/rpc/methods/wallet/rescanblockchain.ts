import { follows } from '../../../policy/compat.js';
import { scanBlocks } from '../../../wallet/index.js';
import type { WalletRun } from '../../context/wallet.js';
import { declare } from '../../declare/parameters.js';
import { num, obj } from '../../declare/parts.js';
import { fail, RPC_CODE } from '../../errors.js';
import { reserveRescan, scanDeps } from '../../wallet/rescan.js';
import { ensureUnlocked, managerOf, settledWallet } from '../../wallet/select.js';

export const spec = declare({
  name: 'rescanblockchain',
  category: 'wallet',
  runs: 'wallet',
  holds: 'parts',
  description: 'Scans blocks for transactions of the wallet.',
  args: [num('start_height', 'First block', { default: '0' }), num('stop_height', 'Last block', { default: 'the tip' })],
  results: [obj([num('start_height', 'First block'), num('stop_height', 'Last block scanned')])],
  examples: [{ cli: '100000 120000', rpc: '100000, 120000' }],
  waits: true,
});

export const rescanblockchain: WalletRun<typeof spec> = async (params, ctx, call) => {
  const wallet = await settledWallet(ctx, call);
  // Extending the range of a descriptor needs private keys.
  if (follows(ctx.compat, 25)) ensureUnlocked(wallet);
  reserveRescan(ctx, wallet);
  try {
    const tip = wallet.tip!.height;
    const { start_height: start } = params;
    if (start < 0 || start > tip) fail(RPC_CODE.INVALID_PARAMETER, 'Invalid start_height');
    let stop: number | null = null;
    if (params.stop_height !== undefined) {
      stop = params.stop_height;
      if (stop < 0 || stop > tip) fail(RPC_CODE.INVALID_PARAMETER, 'Invalid stop_height');
      if (stop < start) fail(RPC_CODE.INVALID_PARAMETER, 'stop_height must be greater than start_height');
    }
    // Core checks for missing blocks from the wallet's tip, or from the last height, down to the first.
    if (!(await ctx.client.hasBlocks(start, stop ?? tip))) {
      if (!(await ctx.client.stored()).havePruned) {
        fail(
          RPC_CODE.MISC_ERROR,
          'Failed to rescan unavailable blocks likely due to an in-progress assumeutxo background sync. Check logs or getchainstates RPC for assumeutxo background sync progress and try again later.',
        );
      }
      fail(RPC_CODE.MISC_ERROR, "Can't rescan beyond pruned data. Use RPC call getblockchaininfo to determine your pruned height.");
    }
    const [first] = await ctx.client.blocks(start, 1);
    // Mark the scan now, so that it resumes even if the process is killed before the scan's own first mark.
    await wallet.change((batch) => wallet.scans.markRunning({ nextHeight: start, stopHeight: stop }, batch));
    const result = await scanBlocks(wallet, first, stop, true, scanDeps(ctx));
    if (result.status === 'failure') fail(RPC_CODE.MISC_ERROR, 'Rescan failed. Potentially corrupted data files.');
    if (result.status === 'aborted') fail(RPC_CODE.MISC_ERROR, 'Rescan aborted.');
    return { start_height: start, stop_height: result.lastScanned ? result.lastScanned.height : null };
  } finally {
    managerOf(ctx).scanner.endScan(wallet);
  }
};
