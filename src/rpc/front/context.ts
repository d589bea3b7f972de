// What a front thread knows by itself: parameters, clocks and the published facts of the tip. Methods that need no more
// than this run there; http/front fills it in.

import type { DescriptorContext } from '../../address/descriptor/context.js';
import type { ChainParams } from '../../consensus/params/chain-params.js';
import type { Hashes } from '../../crypto/crypto.js';
import type { TipSnapshot } from '../../link/messages.js';
import type { Compat } from '../../policy/compat.js';
import type { Run } from '../dispatch.js';

/** Everything a front method may use. */
export interface FrontContext {
  readonly compat: Compat;
  readonly params: ChainParams;
  readonly hashes: Hashes;
  /** How scripts are put into words. */
  readonly descriptors: DescriptorContext;
  /** The newest tip, at least as new as any reply given before. */
  snapshot(): TipSnapshot;
  /** Another number whenever what the node thread would answer may have changed; 0 where that is not known. */
  stateVersion(): number;
  /** Seconds since 1970 by the node's clock, mocked or not. */
  nowSeconds(): number;
  /** When the node started, seconds since 1970 of the real clock. */
  readonly startedSeconds: number;
  /** Whether there are wallets and their calls. */
  readonly wallets: boolean;
  /** Status text while the node starts, null afterwards. */
  warmup(): string | null;
}

/** A run function of a front. */
export type FrontRun = Run<FrontContext>;
