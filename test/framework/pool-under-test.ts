// A mempool over a model chain, with a clock that tests set and real script checks on the same thread. For tests of
// mempool and templates.
import { createNativeCrypto } from '../../src/crypto/native/index.js';
import type { Clock } from '../../src/lib/clock.js';
import { silentLogger } from '../../src/log/logger.js';
import { Mempool } from '../../src/mempool/mempool.js';
import type { MempoolOptions } from '../../src/mempool/options.js';
import { DEFAULT_POLICY, type PolicyOptions } from '../../src/policy/options.js';
import { InlineVerifier } from './inline-verifier.js';
import { ModelChain } from './model-chain.js';

export const crypto = createNativeCrypto();

/** A clock that changes only when the test sets it. */
export class HandClock implements Clock {
  seconds = 1_600_001_000;
  nowSeconds(): number {
    return this.seconds;
  }
  nowMs(): number {
    return this.seconds * 1000;
  }
  monotonicMs(): number {
    return this.seconds * 1000;
  }
}

/** Options without policy: transactions need no fee, and only consensus rules remain. */
export const NO_POLICY: PolicyOptions = { ...DEFAULT_POLICY, requireStandard: false, minRelayFeeRate: 0, incrementalFeeRate: 0 };

/** @param follow connects the mempool to the chain; default: as the node does */
export function createPool(
  options: Partial<MempoolOptions> = {},
  follow = (chain: ModelChain, pool: Mempool): void => {
    chain.onTip((tip, change) => {
      if (pool.outlasts(change)) pool.confirming(change);
      pool.onTip(tip, change);
    });
  },
): { chain: ModelChain; clock: HandClock; pool: Mempool } {
  const chain = new ModelChain(crypto);
  const clock = new HandClock();
  const pool = new Mempool(options, { chain, verifier: new InlineVerifier(crypto), clock, log: silentLogger });
  follow(chain, pool);
  return { chain, clock, pool };
}
