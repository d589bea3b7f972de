// Context of methods on a front thread: parameters, clocks, and the published facts of the tip. http/front/front.ts
// provides it.

import type { DescriptorContext } from '../../address/descriptor/context.js';
import type { ChainParams } from '../../consensus/params/chain-params.js';
import type { Crypto, Hashes } from '../../crypto/crypto.js';
import type { TipSnapshot } from '../../link/messages.js';
import type { Compat } from '../../policy/compat.js';
import type { ParametersOf, ResultOf } from '../declare/parameters.js';
import type { MethodSpec } from '../declare/types.js';
import type { VersionedMethod } from '../declare/versions.js';
import type { Run } from '../dispatch.js';

/** Context of methods that depend on their arguments only. They run on fronts and, with large arguments, on render threads. */
export interface DecodeContext {
  readonly compat: Compat;
  readonly params: ChainParams;
  readonly hashes: Hashes;
  /** Hashes and curves. Loads its libraries when it is read for the first time. */
  readonly crypto: Crypto;
  /** Context for showing scripts as descriptors. */
  readonly descriptors: DescriptorContext;
}

/** Context of methods that run on a front. */
export interface FrontContext extends DecodeContext {
  /** Returns the newest tip, at least as new as that of any reply sent before. */
  snapshot(): TipSnapshot;
  /** Returns a number that changes whenever a reply of the node thread may have changed; 0 if unknown. */
  stateVersion(): number;
  /** Returns a number that changes whenever a read job about a stored block may differ; 0 if unknown. */
  blocksVersion(): number;
  /** Returns the seconds since 1970 by the node's clock, mocked or not. */
  nowSeconds(): number;
  /** Start of the node in seconds since 1970, by the real clock. */
  readonly startedSeconds: number;
  /** All methods that exist, by name. */
  readonly methods: ReadonlyMap<string, VersionedMethod>;
  /** Returns the status text while the node starts, null afterwards. */
  warmup(): string | null;
}

export type FrontRun<S extends MethodSpec> = Run<FrontContext, ParametersOf<S>, ResultOf<S>>;

/** Run function of a method that depends on its arguments only. */
export type DecodeRun<S extends MethodSpec> = Run<DecodeContext, ParametersOf<S>, ResultOf<S>>;
