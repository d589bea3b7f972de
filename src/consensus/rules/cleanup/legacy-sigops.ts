// BIP-0054: limit on the signature operations of all inputs of one transaction, outside witnesses. Unlike the limit of
// a block, it counts the scripts that run: scriptSig, the spent output's script and the P2SH redeem script, each with
// BIP-0016's accurate count.
import { countSigops, p2shSigops } from '../../script/sigops.js';
import { isPayToScriptHash } from '../../script/templates.js';
import type { Verdict } from '../../state.js';
import type { TxView } from '../../tx/tx-view.js';
import { reject } from '../reject.js';

/** Largest number of such signature operations in a transaction. */
export const MAX_LEGACY_SIGOPS = 2_500;

const EMPTY = new Uint8Array(0);

/**
 * Returns whether a transaction that is not a coinbase is within the limit.
 * @param spent outputs that it spends, in input order
 */
export function legacySigopsWithin(tx: TxView, spent: readonly { readonly script: Uint8Array }[]): boolean {
  let count = 0;
  for (let i = 0; i < tx.inputCount; i++) {
    const { script } = spent[i];
    // Avoid a view for an empty scriptSig, which all spends of native witness programs have.
    const scriptSig = tx.scriptSigLength(i) === 0 ? EMPTY : tx.scriptSig(i);
    count += countSigops(scriptSig, true);
    count += isPayToScriptHash(script) ? p2shSigops(scriptSig, script) : countSigops(script, true);
    if (count > MAX_LEGACY_SIGOPS) return false;
  }
  return true;
}

/** Checks the limit as a rule of a block. */
export function checkLegacyInputSigops(tx: TxView, spent: readonly { readonly script: Uint8Array }[]): Verdict {
  return legacySigopsWithin(tx, spent) ? null : reject('consensus', 'bad-txns-legacy-sigops', 'too many legacy sigops (BIP54)');
}
