// The address behind an output script, as the script that address stands for: the script itself, for a bare key the
// P2PKH script of the key (Core's ExtractDestination); none for multisig, data and the rest. Address books are kept by
// these scripts.
import type { Hashes } from '../../crypto/crypto.js';
import { solve } from '../../policy/script-type.js';
import { idsOfXOnly, type SigningProvider } from '../../signing/signing-provider.js';
import { payToKeyHash } from './is-mine.js';

/** @returns null when there is no address */
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

/** <key> OP_CHECKSIG. */
export function payToKey(publicKey: Uint8Array): Uint8Array {
  return Uint8Array.of(publicKey.length, ...publicKey, 0xac);
}

/** The internal key of an output of taproot that has no scripts. @returns its HASH160 with the parity that is known */
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
 * HASH160 of the one key behind an address of P2PKH, P2WPKH or P2SH-P2WPKH, and with hashes of taproot without scripts
 * (Core's GetKeyForDestination).
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
