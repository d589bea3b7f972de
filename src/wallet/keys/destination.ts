// Maps an output script to the script of its address: the script itself, or for a bare key the P2PKH script of that key
// (Core's ExtractDestination). Multisig, data and nonstandard scripts have no address. Address books use these scripts
// as keys.
import type { Hashes } from '../../crypto/crypto.js';
import { type Compat, only } from '../../policy/compat.js';
import { solve } from '../../policy/script-type.js';
import { idsOfXOnly, type SigningProvider } from '../../signing/index.js';
import { payToKeyHash } from './is-mine.js';

/** Returns the script of the address; null if there is none. */
export function destinationOf(script: Uint8Array, hashes: Hashes): Uint8Array | null {
  const { type, solutions } = solve(script);
  switch (type) {
    case 'pubkey':
      return payToKeyHash(hashes.hash160(solutions[0]));
    case 'multisig':
    case 'nulldata':
    case 'nonstandard':
      return null;
    default:
      return script;
  }
}

/**
 * Returns the script whose address an output has. Up to release 21 a bare public key has the address of the key's hash.
 */
export function addressedBy(
  script: Uint8Array,
  { compat, crypto }: { readonly compat: Compat; readonly crypto: Hashes },
): Uint8Array | null {
  return only(compat, 22) && solve(script).type === 'pubkey' ? null : destinationOf(script, crypto);
}

/** Returns the P2PK script: <key> OP_CHECKSIG. */
export function payToKey(publicKey: Uint8Array): Uint8Array {
  return Uint8Array.of(publicKey.length, ...publicKey, 0xac);
}

/**
 * Finds the internal key of a taproot output that has no scripts.
 * @returns HASH160 of the compressed key, with the parity for which the provider has an origin; undefined if there is
 *   none
 */
function internalKeyId(
  outputKey: Uint8Array,
  provider: Pick<SigningProvider, 'taproot' | 'origin'>,
  hashes: Hashes,
): Uint8Array | undefined {
  const output = provider.taproot?.(outputKey);
  if (!output || output.leaves.length > 0) return undefined;
  return idsOfXOnly(output.internalKey, hashes).find((id) => provider.origin(id));
}

/**
 * Returns HASH160 of the only key of a P2PKH, P2WPKH or P2SH-P2WPKH address, and if `hashes` is given, also of a
 * taproot address without scripts. Core: GetKeyForDestination.
 */
export function keyOfDestination(
  script: Uint8Array,
  provider: Pick<SigningProvider, 'script' | 'taproot' | 'origin'>,
  hashes?: Hashes,
): Uint8Array | undefined {
  const { type, solutions } = solve(script);
  if (type === 'pubkeyhash' || type === 'witness_v0_keyhash') return solutions[0];
  if (type === 'witness_v1_taproot' && hashes) return internalKeyId(solutions[0], provider, hashes);
  const inner = type === 'scripthash' ? provider.script(solutions[0]) : undefined;
  const solved = inner && solve(inner);
  return solved?.type === 'witness_v0_keyhash' ? solved.solutions[0] : undefined;
}
