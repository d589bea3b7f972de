// Decides whether the node is in the initial block download (Core's IsInitialBlockDownload). Once it has ended, it does
// not begin again in the same run.

import type { Clock } from '../lib/clock.js';
import type { HeaderNode } from './tree/header-node.js';

/** Limits that a tip must pass to end the initial download. */
export interface InitialDownloadOptions {
  readonly minimumChainWork: bigint;
  /** Age of the tip in seconds above which the initial download is active (-maxtipage). */
  readonly maxTipAge: number;
}

/** Ends the initial block download, permanently, when the tip is recent and has enough work. */
export class InitialDownload {
  #finished = false;
  readonly #options: InitialDownloadOptions;
  readonly #clock: Clock;
  readonly #onFinished: () => void;

  constructor(options: InitialDownloadOptions, clock: Clock, onFinished: () => void) {
    this.#options = options;
    this.#clock = clock;
    this.#onFinished = onFinished;
  }

  /**
   * Returns whether the node is in the initial block download.
   * @param importing true while an import from files is running
   */
  active(tip: HeaderNode, importing: boolean): boolean {
    if (this.#finished) return false;
    if (importing) return true;
    if (tip.chainWork < this.#options.minimumChainWork) return true;
    if (tip.time < this.#clock.nowSeconds() - this.#options.maxTipAge) return true;
    this.#finished = true;
    this.#onFinished();
    return false;
  }
}
