// Recurring work of a running node.

import type { Chain } from '../chain/index.js';
import { createMemoryTrimmer } from '../crypto/native/memory-trimmer.js';
import type { Net, SyncProgress } from '../net/index.js';
import type { ClockWatch } from './clock-watch.js';
import type { NodeBase } from './open-base.js';
import type { OpenedMempool } from './open-mempool.js';
import type { LateModules } from './wiring.js';

/** Interval in milliseconds for writing coins and rows. */
const FLUSH_MS = 3_600_000;
/** Interval in milliseconds for announcing transactions again that no peer has requested. */
const UNBROADCAST_MS = 12 * 60_000;
/** Interval in milliseconds for checking privately sent transactions that have not come back. */
const PRIVATE_RETRY_MS = 150_000;
/** Interval in milliseconds for returning free memory to the system. It takes 0.1 to 10 ms of a libuv thread. */
const FREE_MEMORY_MS = 60_000;
/** Interval between saves of fee estimates (Core's FEE_FLUSH_INTERVAL). */
const FEES_MS = 3_600_000;
/** Interval between comparisons of the tip with the clock and the best invalid block. */
const CLOCK_MS = 1_000;
/** Interval in milliseconds between progress lines of the initial download. */
const SYNC_LINE_MS = 10_000;

export function startRecurring(
  { scheduler: all, guard, log, stop, teardown }: NodeBase,
  modules: OpenedMempool & { chain: Chain; progress: SyncProgress; net: Net; clockWatch: ClockWatch; late: LateModules },
): void {
  const { chain, mempool, poolFiles, progress, net, clockWatch, late } = modules;
  // The guard catches exceptions of timers.
  const scheduler = { every: (everyMs: number, run: () => void) => all.every(everyMs, guard.wrap('recurring work', run)) };
  scheduler.every(FEES_MS, () => {
    if (!stop.signal.aborted) void poolFiles.saveFees(mempool.fees);
  });
  scheduler.every(CLOCK_MS, () => {
    clockWatch.checkClock();
    late.forkWatch?.checkChains();
  });
  scheduler.every(SYNC_LINE_MS, () => {
    const line = progress.tick();
    if (line !== null) log.info(line);
  });
  scheduler.every(FLUSH_MS, () => {
    if (!stop.signal.aborted)
      chain.commands.flush().catch((error: Error) => log.error(`Could not write the chain state to the disk: ${error.message}`));
  });
  scheduler.every(UNBROADCAST_MS, () => {
    net.relay.announcer.relayUnbroadcast().catch((error: Error) => log.warn(`Announcing transactions again: ${error.message}`));
  });
  scheduler.every(PRIVATE_RETRY_MS, () => {
    net.relay.privately.retry().catch((error: Error) => log.warn(`Sending transactions privately: ${error.message}`));
  });
  const returnFreeMemory = createMemoryTrimmer();
  if (returnFreeMemory === null) return;
  let returning = Promise.resolve();
  scheduler.every(FREE_MEMORY_MS, () => {
    if (stop.signal.aborted) return;
    returning = returnFreeMemory().catch((error: Error) => log.debug('rpc', `Free memory stays: ${error.message}`));
  });
  // A call into a library must return before the process ends.
  teardown.add(() => returning);
}
