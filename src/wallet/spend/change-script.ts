// What kind of address change goes to, and how large its output is before there is one. Core 0.21:
// CWallet::TransactionChangeType.
import { scriptHashScript, witnessProgramScript } from '../../consensus/script/build-script.js';
import { publicKeyHashScript, witnessVersion } from '../../consensus/script/templates.js';
import type { AddressType } from '../keys/key-source.js';
import type { Wallet } from '../wallet.js';
import type { CoinControl } from './coin-control.js';
import type { Recipient } from './select/draft.js';

/** Where the wallet's options leave it open, change looks like what is paid. */
export function changeTypeFor(wallet: Wallet, control: CoinControl, recipients: readonly Recipient[]): AddressType {
  const { changeType, addressType } = wallet.parts.options;
  const asked = control.changeType ?? changeType;
  if (asked) return asked;
  if (addressType !== 'legacy' && recipients.some(({ script }) => witnessVersion(script) >= 0)) return 'bech32';
  return addressType;
}

const NO_HASH = new Uint8Array(20);

/** A script of the size that an address of a kind has, with the virtual size of spending it. */
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
