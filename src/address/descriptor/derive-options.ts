// What deriving the scripts of a descriptor may use, and what kinds of output they may be.
import type { DescriptorCache } from './cache.js';
import type { SecretSource } from './secrets.js';

/** Kinds of output that wallets give addresses of. */
export type OutputType = 'legacy' | 'p2sh-segwit' | 'bech32' | 'bech32m';

/** What deriving may use besides the descriptor itself. */
export interface DeriveOptions {
  /** Needed for hardened steps. */
  readonly secrets?: SecretSource | undefined;
  /** Read first, filled by what the secrets gave. */
  readonly cache?: DescriptorCache | undefined;
}
