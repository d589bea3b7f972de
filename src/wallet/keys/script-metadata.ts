// Metadata of a wallet's scripts and keys.
import type { KeyOrigin } from '../../signing/index.js';

/** Time and origin of a script or key in a wallet. */
export interface ScriptMetadata {
  /** Seconds since 1970; 0 if unknown. */
  readonly time: number;
  readonly origin: KeyOrigin | undefined;
  /**
   * HASH160 (as bytes, not reversed) of the public key of the seed that the key is derived from; undefined for keys
   * without a legacy HD seed.
   */
  readonly seedId: Uint8Array | undefined;
}
