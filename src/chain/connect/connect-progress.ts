// Progress of connecting stored blocks, for the log. Counted in transactions if their number is known, because late
// blocks have a thousand times as many as early ones.

import { ProgressMeter } from '../../lib/progress.js';
import type { HeaderNode } from '../tree/header-node.js';

/** Progress of the tip towards the goal. */
export interface ConnectProgress {
  readonly height: number;
  readonly goal: number;
  /** Percentage of the transactions, 0 to 100. */
  readonly percent: number;
  readonly blocksPerSecond: number;
  /** Estimated seconds until the goal, at the speed so far; null while unknown. */
  readonly secondsLeft: number | null;
}

/** Interval between reports in milliseconds. */
const REPORT_MS = 10_000;

export class ConnectMeter {
  readonly #blocks: ProgressMeter;
  readonly #transactions: ProgressMeter;

  constructor(nowMs: () => number, tip: HeaderNode) {
    this.#blocks = new ProgressMeter(nowMs, tip.height, REPORT_MS);
    this.#transactions = new ProgressMeter(nowMs, tip.chainTxCount, REPORT_MS);
  }

  isReportDue(): boolean {
    return this.#blocks.shouldReport();
  }

  at(tip: HeaderNode, goal: HeaderNode): ConnectProgress {
    return {
      height: tip.height,
      goal: goal.height,
      percent: goal.chainTxCount === 0 ? 100 : Math.min(100, (100 * tip.chainTxCount) / goal.chainTxCount),
      blocksPerSecond: this.#blocks.rate(tip.height),
      secondsLeft: this.#transactions.secondsLeft(tip.chainTxCount, goal.chainTxCount),
    };
  }
}
