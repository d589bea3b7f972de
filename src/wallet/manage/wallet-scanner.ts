// Scans past blocks for wallets: those of -rescan, and blocks that a wallet has not seen.
import { beyondPruned } from '../follow/catch-up.js';
import { type RescanDeps, scanBlocks, scanStart } from '../follow/rescan.js';
import type { NodeClient } from '../node-client.js';
import type { Wallet } from '../wallet.js';
import { WALLET_CODE, WalletError } from './wallet-error.js';

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

export interface ScannerDeps {
  readonly client: NodeClient;
  readonly log: { info(line: string): void; warn(line: string): void };
  /** Called after each scanned block and at the beginning and end of a scan, so that the node may prune blocks. */
  readonly onProgress: () => void;
}

export class WalletScanner {
  /** Dependencies of scanBlocks(). */
  readonly deps: RescanDeps;
  readonly #log: ScannerDeps['log'];

  constructor({ client, log, onProgress }: ScannerDeps) {
    this.deps = { client, log, nowMs: () => performance.now(), onProgress };
    this.#log = log;
  }

  /**
   * Runs the scan of -rescan, over the blocks since the oldest key was made and those that an earlier scan did not
   * reach.
   */
  async rescan(wallet: Wallet): Promise<void> {
    const { client, nowMs } = this.deps;
    if ((await client.stored()).havePruned) throw beyondPruned();
    const { birthSeconds } = wallet.keys;
    if (birthSeconds === Number.POSITIVE_INFINITY) return;
    const oldest = (await scanStart(client, birthSeconds)) ?? client.genesis;
    const height = Math.min(oldest.height, wallet.scans.unseen?.nextHeight ?? client.tip.height);
    const [start] = await client.blocks(height, 1);
    if (!wallet.scans.reserveForUnseen(nowMs(), { nextHeight: height, stopHeight: null })) return;
    try {
      this.#log.info(
        `Wallet ${JSON.stringify(wallet.name)}: Rescanning last ${client.tip.height - height} blocks (from block ${height})...`,
      );
      const { status } = await scanBlocks(wallet, start ?? client.genesis, null, true, this.deps);
      if (status !== 'success') {
        throw new WalletError(WALLET_CODE.WALLET, 'Wallet loading failed. Failed to rescan the wallet during initialization');
      }
    } finally {
      this.endScan(wallet);
    }
  }
  /** Ends a wallet's scan, and starts the wallet's next scan if blocks wait for one. */
  endScan(wallet: Wallet): void {
    wallet.scans.end();
    // The guard of the next scan replaces that of this one.
    this.scanUnseen(wallet).catch(this.logNotStarted).finally(this.deps.onProgress);
  }
  /**
   * Scans, in the background, the blocks that the wallet has not seen. Does nothing while another scan runs, or while
   * blocks below a coins snapshot are missing; the end of either starts this scan again.
   */
  async scanUnseen(wallet: Wallet): Promise<void> {
    const { client, nowMs } = this.deps;
    const { unseen } = wallet.scans;
    if (unseen === null || (await client.stored()).historyMissing) return;
    const [start] = await client.blocks(unseen.nextHeight, 1);
    // Start again if `unseen` was extended during the queries.
    if (wallet.scans.unseen !== unseen) return this.scanUnseen(wallet);
    if (start === undefined || wallet.closed || !wallet.scans.reserveForUnseen(nowMs(), unseen)) return;
    const name = `Wallet ${JSON.stringify(wallet.name)}`;
    this.#log.info(`${name}: scanning blocks from height ${unseen.nextHeight} on, which it has not seen`);
    scanBlocks(wallet, start, unseen.stopHeight, true, this.deps)
      .then(({ status }) => {
        if (status === 'failure')
          this.#log.warn(
            `${name}: some blocks of this scan could not be read, so payments in them may be missing. If they were pruned, load the wallet on a node that has them`,
          );
      })
      .catch((error: unknown) => this.#log.warn(`${name}: the scan of unseen blocks failed: ${textOf(error)}`))
      .finally(() => this.endScan(wallet));
  }
  readonly logNotStarted = (error: unknown): void => this.#log.warn(`The scan of unseen blocks could not be started: ${textOf(error)}`);
}
