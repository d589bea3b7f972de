// Whether the node is still catching up (Core's IsInitialBlockDownload): true until it was false once.

import type { Clock } from '../lib/clock.js';
import type { HeaderNode } from './tree/header-node.js';

/** What decides, besides the tip. */
export interface InitialDownloadOptions {
  readonly minimumChainWork: bigint;
  /** Seconds. */
  readonly maxTipAge: number;
}

/** A latch over the tip's work and age. */
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

  /** @param importing blocks are being read from files */
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
