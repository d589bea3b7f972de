// Whether the node is still catching up (Core's IsInitialBlockDownload): true until it was false once. Callers: Chain.

import type { Clock } from '../lib/clock.js';
import type { HeaderNode } from './header-node.js';

/** What decides, besides the tip. */
export interface InitialDownloadOptions {
  readonly minimumChainWork: bigint;
  /** Seconds. */
  readonly maxTipAge: number;
}

/** A latch over the tip's work and age. */
export class InitialDownload {
  private finished = false;

  constructor(
    private readonly options: InitialDownloadOptions,
    private readonly clock: Clock,
    private readonly onFinished: () => void,
  ) {}

  /** @param importing blocks are being read from files */
  active(tip: HeaderNode, importing: boolean): boolean {
    if (this.finished) return false;
    if (importing) return true;
    if (tip.chainWork < this.options.minimumChainWork) return true;
    if (tip.time < this.clock.nowSeconds() - this.options.maxTipAge) return true;
    this.finished = true;
    this.onFinished();
    return false;
  }
}
