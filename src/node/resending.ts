// Submits unconfirmed payments of wallets again from time to time.

import type { Scheduler } from '../lib/scheduler.js';
import type { Logger } from '../log/logger.js';
import { Resender, type SpendTools, type WalletManager } from '../wallet/index.js';

/** Interval in milliseconds between checks. */
const everyMs = 1000;

export interface ResendingDeps {
  readonly scheduler: Scheduler;
  readonly spend: SpendTools;
  readonly log: Logger;
}

export function startResending(wallets: WalletManager, { scheduler, spend, log }: ResendingDeps): void {
  let busy = false;
  const resender = new Resender({
    tools: spend,
    wallets: () => wallets.all,
    lastBlockSeconds: () => wallets.lastBlockSeconds,
  });
  scheduler.every(everyMs, () => {
    if (busy) return;
    busy = true;
    resender
      .tick()
      .catch((error: unknown) =>
        log.warn(`Could not resend wallet transactions: ${error instanceof Error ? error.message : String(error)}`),
      )
      .finally(() => {
        busy = false;
      });
  });
}
