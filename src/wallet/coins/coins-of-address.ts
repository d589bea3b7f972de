// Own outputs that pay an address: its script's, and for a key hash those of the bare key, which Core shows under the
// same address.
import { solve } from '../../policy/script-type.js';
import { payToKey } from '../keys/destination.js';
import type { Wallet } from '../wallet.js';

/** @param destination script of the address @returns rows of ledger.coins, spent ones too */
export function* coinsOfAddress(wallet: Wallet, destination: Uint8Array): Generator<number> {
  const { coins } = wallet.ledger;
  yield* coins.ofScript(destination);
  const { type, solutions } = solve(destination);
  const key = type === 'pubkeyhash' ? wallet.provider(destination)?.publicKey(solutions[0]) : undefined;
  if (key) yield* coins.ofScript(payToKey(key));
}
