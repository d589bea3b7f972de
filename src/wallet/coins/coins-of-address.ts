// Finds the wallet's outputs that pay an address: outputs with the script of the address, and for a P2PKH address also
// outputs to its bare key (P2PK). Core shows both under the same address.
import { solve } from '../../policy/script-type.js';
import { payToKey } from '../keys/destination.js';
import type { Wallet } from '../wallet.js';

/** Yields rows of ledger.coins, including spent ones. @param destination output script of the address */
export function* coinsOfAddress(wallet: Wallet, destination: Uint8Array): Generator<number> {
  const { coins } = wallet.ledger;
  yield* coins.ofScript(destination);
  const { type, solutions } = solve(destination);
  const key = type === 'pubkeyhash' ? wallet.keys.provider(destination)?.publicKey(solutions[0]) : undefined;
  if (key) yield* coins.ofScript(payToKey(key));
}
