// What is known of how a script or key came to a wallet.
import type { KeyOrigin } from '../../signing/signing-provider.js';

/** What is known of how a script or key came to the wallet. */
export interface ScriptMetadata {
  /** Seconds since 1970; 0 when unknown. */
  readonly time: number;
  readonly origin: KeyOrigin | undefined;
  /** HASH160 of the legacy HD seed's public key, natural order; undefined otherwise. */
  readonly seedId: Uint8Array | undefined;
}
