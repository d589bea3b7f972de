// Chooses the address type of change, and a script of the same size for estimates, before the change address exists.
// Core: CWallet::TransactionChangeType.
import { scriptHashScript, witnessProgramScript } from '../../consensus/script/build-script.js';
import { publicKeyHashScript, witnessVersion } from '../../consensus/script/templates.js';
import { type ScriptType, solve } from '../../policy/script-type.js';
import type { AddressType } from '../keys/key-source.js';
import type { Wallet } from '../wallet.js';
import type { CoinControl } from './coin-control.js';
import type { SpendRules } from './options.js';
import type { Recipient } from './select/draft.js';

/**
 * Returns the address type for change. Unless the options set a type, change gets the type of one of the payment's
 * outputs.
 */
export function changeTypeFor(
  wallet: Wallet,
  control: CoinControl,
  recipients: readonly Recipient[],
  { changeLikePayment }: SpendRules,
): AddressType {
  const { changeType, addressType } = wallet.parts.options;
  const asked = control.changeType ?? changeType;
  if (asked) return asked;
  if (addressType === 'legacy') return addressType;
  if (!changeLikePayment) return recipients.some(({ script }) => witnessVersion(script) >= 0) ? 'bech32' : addressType;
  const has = (type: AddressType): boolean =>
    wallet.descriptors ? wallet.descriptors.active(type, true) !== undefined : type !== 'bech32m';
  const kinds = new Set(recipients.map(({ script }) => KIND_OF[solve(script).type]));
  const alike = MOST_PRIVATE.find((type) => has(type) && kinds.has(type));
  return alike ?? MOST_PRIVATE.slice(0, 2).find(has) ?? addressType;
}

/** Address types in order of preference, if the outputs of the payment have several. */
const MOST_PRIVATE: readonly AddressType[] = ['bech32m', 'bech32', 'p2sh-segwit', 'legacy'];
/** Returns the address type of change that looks like the script of a recipient. */
const KIND_OF: Partial<Record<ScriptType, AddressType>> = {
  witness_v1_taproot: 'bech32m',
  witness_v0_keyhash: 'bech32',
  scripthash: 'p2sh-segwit',
  pubkeyhash: 'legacy',
};

const NO_HASH = new Uint8Array(20);

/** Returns a dummy script with the size of an address type, and the virtual size of an input that spends it. */
export function changeTemplate(type: AddressType): { readonly script: Uint8Array; readonly spendBytes: number } {
  switch (type) {
    case 'legacy':
      return { script: publicKeyHashScript(NO_HASH), spendBytes: 148 };
    case 'p2sh-segwit':
      return { script: scriptHashScript(NO_HASH), spendBytes: 91 };
    case 'bech32':
      return { script: witnessProgramScript(0, NO_HASH), spendBytes: 68 };
    case 'bech32m':
      return { script: witnessProgramScript(1, new Uint8Array(32)), spendBytes: 58 };
  }
}
