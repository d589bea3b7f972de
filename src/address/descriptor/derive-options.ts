// Options for deriving scripts, and types of outputs.
import type { DescriptorCache } from './cache.js';
import type { SecretSource } from './secrets.js';

/** Types of outputs that wallets give out addresses for. */
export type OutputType = 'legacy' | 'p2sh-segwit' | 'bech32' | 'bech32m';

/** Data for deriving besides the descriptor itself. */
export interface DeriveOptions {
  /** Private keys, needed for hardened steps. */
  readonly secrets?: SecretSource | undefined;
  /** Cache, which is read first and filled with keys derived from `secrets`. */
  readonly cache?: DescriptorCache | undefined;
}
