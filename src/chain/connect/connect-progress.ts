// How far connecting stored blocks came, for the log. Counted in transactions where they are known, since late blocks
// hold a thousand times as many as early ones.

import { ProgressMeter } from '../../lib/progress.js';
import type { HeaderNode } from '../tree/header-node.js';

/** Where the tip is on its way. */
export interface ConnectProgress {
  readonly height: number;
  readonly goal: number;
  /** Of the transactions, 0 to 100. */
  readonly percent: number;
  readonly blocksPerSecond: number;
  /** At the speed so far; null while there is none. */
  readonly secondsLeft: number | null;
}

/** Milliseconds between two reports. */
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
