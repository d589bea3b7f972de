// The address behind an output script, as the script that address stands for: the script itself, for a bare key the P2PKH script of the
// key (Core's ExtractDestination); none for multisig, data and the rest. Address books are kept by these scripts.
import type { Hashes } from '../../crypto/crypto.js';
import { solve } from '../../policy/script-type.js';
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
